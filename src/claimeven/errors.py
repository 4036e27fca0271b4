"""The error that all errors about input are."""


class ClaimevenError(ValueError):
    """Any bad input that claimeven recognizes; the message is one sentence for the user."""
