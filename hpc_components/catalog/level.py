"""How bad a finding is."""

from enum import StrEnum


class Level(StrEnum):
    """How bad a finding is."""

    ERROR = "error"
    """It will not work, or not as written."""
    WARNING = "warning"
    """It may not work, or costs more than it should."""
    INFO = "info"
    """Good to know."""

    @property
    def rank(self) -> int:
        """0 for the worst."""
        return list(Level).index(self)
