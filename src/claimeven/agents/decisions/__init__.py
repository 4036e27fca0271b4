"""Decisions told: to notebooks, as plain data for JSON, as rows of short texts."""
