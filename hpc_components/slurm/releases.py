RELEASES = ("22.05", "23.11", "24.11", "25.11")
"""Supported releases, oldest first."""


def at_least(version: str, release: str) -> bool:
    """Return whether `version` is `release` or later. Both must have the form `23.11`."""
    return tuple(map(int, version.split("."))) >= tuple(map(int, release.split(".")))
