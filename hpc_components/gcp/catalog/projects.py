"""Compares the projects in ids."""


def differ(one: str, other: str) -> bool:
    """Return whether two texts name different projects.

    Return False for a project number and a project id, because these can't be compared.
    """
    return one.isdigit() == other.isdigit() and one != other
