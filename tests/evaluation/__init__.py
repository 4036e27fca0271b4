"""Tests of counting and of the heuristic evaluations."""
