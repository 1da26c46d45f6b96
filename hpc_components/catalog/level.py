"""The severity of a finding."""

from enum import StrEnum


class Level(StrEnum):
    """The severity of a finding."""

    ERROR = "error"
    """It will not work, or not as written."""
    WARNING = "warning"
    """It may not work, or costs more than it should."""
    INFO = "info"
    """Good to know."""

    @property
    def rank(self) -> int:
        """0 for the most severe level."""
        return list(Level).index(self)
