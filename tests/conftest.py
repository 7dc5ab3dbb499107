"""Settings that all tests share."""

from hypothesis import settings

# A busy machine is no failure: what must be fast is measured on its own.
settings.register_profile("coppice", deadline=None)
settings.load_profile("coppice")
