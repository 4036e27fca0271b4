"""UCT on a tree: textbook, kernel, and the layout of the kernel's arrays."""
