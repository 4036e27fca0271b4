"""Grades of a class of bots by a rubric."""
