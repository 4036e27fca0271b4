"""Tests of schedules, games and matches."""
