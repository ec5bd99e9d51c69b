"""The errors this package raises on purpose; each message says what is wrong and what to change."""

from __future__ import annotations


class SimhashError(Exception):
    """Base of every error raised on purpose by this package."""


class SettingError(SimhashError, ValueError):
    """A setting is wrong, or two settings contradict each other; jobs end with exit code 2."""


class InputError(SimhashError, ValueError):
    """The input, or the place for the output, cannot be used as it is; jobs end with exit code 2."""


class AlarmError(SimhashError):
    """Everything is written, and more was removed than the settings allow; jobs end with exit code 3."""
