"""Lists a cluster's configuration files with their checksums. Nodes use the list to fetch and verify the files."""

import hashlib
import json
import re
from collections.abc import Mapping

MANIFEST = "manifest"

PUBLISHED = "published/"
"""Prefix of the files that the head node publishes for all nodes. The manifest doesn't list them."""

_ELASTIC = "head/elastic.json"

_PATH = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*")


def manifest(files: Mapping[str, str]) -> str:
    """Return the files' checksums as printed by `sha256sum`: one line `<sha256>  <path>` per file, sorted by path."""
    sums = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}
    return "".join(f"{sums[path]}  {path}\n" for path in sorted(sums))


def check_path(path: str) -> None:
    """Raise ValueError if nodes can't fetch a file with this path.

    The stub inserts the path into a URL without escaping it, so some characters are not allowed.
    """
    if path == MANIFEST or ".." in path or not _PATH.fullmatch(path):
        raise ValueError(
            f"{path!r} is not a valid file path; use letters, digits, . _ - and /, don't begin a part with a "
            f"dot, don't use two dots in a row, and don't use {MANIFEST!r} as the whole path"
        )


def check_files(argument: str, files: Mapping[str, object], cluster: str, *, may_be_empty: bool) -> None:
    """Raise ValueError if a node can't fetch one of the files, or if the files belong to another cluster.

    The message begins with `argument`. `cluster` is the cluster name in the machines' tags. The elastic daemon takes
    the cluster name from its own file and looks for machines with this tag. If the two names differed, the daemon
    would neither list nor terminate the machines that it launched.
    """
    for path, text in files.items():
        if text == "" and not may_be_empty:
            raise ValueError(f"{argument}: {path} is empty; leave the file out, or write a line break into it")
        try:
            check_path(path)
        except ValueError as error:
            raise ValueError(f"{argument}: {error}") from None
    elastic = files.get(_ELASTIC)
    named = json.loads(elastic).get("cluster", cluster) if isinstance(elastic, str) else cluster
    if named != cluster:
        raise ValueError(
            f"{argument}: {_ELASTIC} is for cluster {named!r}, but the tags are for {cluster!r}, so the "
            f"daemon would not find its machines; use tags=Tags({named!r})"
        )
