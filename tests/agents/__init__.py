"""Tests of the agents and their specs."""
