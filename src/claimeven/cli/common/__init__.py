"""What several verbs share: options, inputs, streams, tables, progress, drawings, JSON."""
