"""Playouts: games simulated from a leaf to the end: textbook and kernel."""
