def differ(one: str, other: str) -> bool:
    """Return whether two project ids or numbers are known to be different.

    An id can't be compared with a number, so the result is then False.
    """
    return one.isdigit() == other.isdigit() and one != other
