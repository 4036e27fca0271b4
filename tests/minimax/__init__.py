"""Tests of minimax, alpha-beta and negamax."""
