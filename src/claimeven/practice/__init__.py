"""Positions to practise on: puzzles made by the solver, rated by weak agents, with hints.
"""
