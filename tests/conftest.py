"""Settings for every test."""

from hypothesis import settings

# No test depends on timing: a machine under load, or the first compilation, must not fail one.
settings.register_profile("claimeven", deadline=None)
settings.load_profile("claimeven")
