"""UCT on a graph of positions: textbook, kernel, and the layout of the kernel's arrays."""
