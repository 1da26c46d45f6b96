"""Paths as scp writes them: `STACK:path` is on a cluster, anything else on this machine."""

from dataclasses import dataclass

from hpc_components.operate.ways import ReachError


@dataclass(frozen=True)
class RemotePath:
    """A path on a cluster. An empty path is the home directory."""

    stack: str
    path: str


def parse_path(text: str) -> RemotePath | str:
    """Return a path on a cluster, or `text` itself if it is a path of this machine.

    As in scp, a colon makes a path remote unless a slash precedes it: `./a:b` is a file of this machine. Raise
    ReachError if the stack's name is missing.
    """
    stack, colon, path = text.partition(":")
    if not colon or "/" in stack:
        return text
    if not stack:
        raise ReachError(f"{text!r} names no stack before the colon; write ./{text} for a file of this machine")
    return RemotePath(stack, path)


def copy_ends(source: str, destination: str) -> tuple[str, str, str, bool]:
    """Return stack, source, destination, and whether the copy goes to the cluster.

    Raise ReachError unless exactly one of the two paths is on a cluster.
    """
    one, other = parse_path(source), parse_path(destination)
    if isinstance(one, RemotePath) and isinstance(other, RemotePath):
        raise ReachError("both paths are on a cluster; copy to this machine first")
    if isinstance(other, RemotePath):
        return other.stack, source, other.path, True
    if isinstance(one, RemotePath):
        return one.stack, one.path, destination, False
    raise ReachError("neither path is on a cluster; write STACK:path for one, such as mine:results.tar")
