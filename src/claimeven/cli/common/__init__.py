"""Shared parts of commands: options, inputs, streams, tables, progress, drawings, JSON."""
