"""The list of a cluster's configuration files with their checksums: nodes fetch what it names, and check it."""

import hashlib
import re
from collections.abc import Mapping

__all__ = ["MANIFEST", "check_path", "manifest"]

MANIFEST = "manifest"
"""Key of the list itself."""

_PATH = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


def manifest(files: Mapping[str, str]) -> str:
    """The files' checksums as `sha256sum` prints them: a line `<sha256>  <path>` for each, sorted by path."""
    sums = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}
    return "".join(f"{sums[path]}  {path}\n" for path in sorted(sums))


def check_path(path: str) -> None:
    """ValueError where a node could not fetch a file of this path, which the stub puts into a URL as it is."""
    if path == MANIFEST or ".." in path or not _PATH.fullmatch(path):
        raise ValueError(
            f"{path!r} is no path for a file; use letters, digits, . _ - and /, no part beginning with a dot,"
            f" no two dots, and not {MANIFEST!r} alone"
        )
