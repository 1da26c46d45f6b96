"""What a cloud tells about its own way to the head node: a tunnel, as data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from hpc_components.errors import HpcError


class ReachError(HpcError):
    """Raised if a cluster can't be reached, or if what it answers can't be read."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program that must be on this machine's PATH."""

    name: str
    remedy: str
    """How to get it, as the rest of a sentence that begins with its name."""


@dataclass(frozen=True, kw_only=True)
class TunnelSign:
    """A message of the tunnel's program or of its service, and what it means."""

    id: Literal["tunnel-login-expired", "tunnel-not-allowed", "tunnel-machine-away"]
    pattern: str
    """Regular expression that is searched for in standard error."""
    why: str
    """What the message means, and what to do."""
    command: Sequence[str] = ()
    """What to type on this machine. If it is empty, the commands of `CloudReach.console` are shown."""


@dataclass(frozen=True, kw_only=True)
class Tunnel:
    """A command of the cloud's own tools that leads to the head node's sshd."""

    title: str
    """What the cloud calls it."""
    command: Sequence[str]
    """Forwards its standard input and output; or listens on the port of this machine that replaces `{port}`."""
    listens: bool = False
    programs: Sequence[Program]
    signs: Sequence[TunnelSign] = ()
    """What its failures look like; the first that fits counts."""


class CloudReach(Protocol):
    """A cloud's part `reach`, usually the cloud's `reach` module."""

    def tunnel(self, access: Mapping[str, Any], head: Mapping[str, Any]) -> Tunnel | None:
        """Return the tunnel to the head node, or None if the cluster has none.

        `access` and `head` are the stack's outputs `access` and `head_node`. Raise KeyError, TypeError or ValueError
        if they are not those of this cloud.
        """
        ...

    def console(self, access: Mapping[str, Any], head: Mapping[str, Any]) -> Sequence[Sequence[str]]:
        """Return the commands of the cloud's own tools that show the state of the head node's machine and its
        console.

        Arguments and errors are those of `tunnel`.
        """
        ...
