"""Projects in ids."""


def differ(one: str, other: str) -> bool:
    """Whether two words name different projects. Of a project's number and an id nobody can tell here."""
    return one.isdigit() == other.isdigit() and one != other
