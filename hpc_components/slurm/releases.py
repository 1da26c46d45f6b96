"""Compares releases of Slurm."""

__all__ = ["RELEASES", "at_least"]

RELEASES = ("22.05", "23.11", "24.11", "25.11")
"""The releases for which configuration is written, oldest first."""


def at_least(version: str, release: str) -> bool:
    """Whether `version` is `release` or a later one, both written like `23.11`."""
    return tuple(map(int, version.split("."))) >= tuple(map(int, release.split(".")))
