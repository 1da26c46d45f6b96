"""The list of a cluster's configuration files, by which nodes know what to fetch and whether it is right."""

import hashlib
import re
from collections.abc import Mapping

__all__ = ["MANIFEST", "check_path", "manifest"]

MANIFEST = "manifest"
"""Key of the list itself."""

_PATH = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


def manifest(files: Mapping[str, str]) -> str:
    """What `sha256sum` would print for the files: a line `<sha256>  <path>` for each, by path."""
    sums = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}
    return "".join(f"{sums[path]}  {path}\n" for path in sorted(sums))


def check_path(path: str) -> None:
    """ValueError where a node could not fetch a file of this path: the stub signs and writes it as it is."""
    if path == MANIFEST or ".." in path or not _PATH.fullmatch(path):
        raise ValueError(
            f"{path!r} is no path for a file; use letters, digits, . _ - and /, no part beginning with a dot,"
            f" no two dots, and not {MANIFEST!r} alone"
        )
