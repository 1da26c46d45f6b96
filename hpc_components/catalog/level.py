from enum import StrEnum


class Level(StrEnum):
    """The severity of a finding."""

    ERROR = "error"
    """Something that will not work at all, or not as written."""
    WARNING = "warning"
    """Something that may not work, or costs more than it should."""
    INFO = "info"
    """Something worth knowing."""

    @property
    def rank(self) -> int:
        """Rank of the level, where 0 is the most severe."""
        return list(Level).index(self)
