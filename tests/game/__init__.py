"""Tests of the rules: geometry, positions, notation, encodings, drawing, counting positions."""
