"""Projects in ids."""


def differ(one: str, other: str) -> bool:
    """Return whether two words name different projects; False for a number and an id, which can't be compared."""
    return one.isdigit() == other.isdigit() and one != other
