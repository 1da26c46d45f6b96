"""The toy cloud has no tunnel: its clusters are reached by a public address or by login nodes."""

from collections.abc import Mapping, Sequence
from typing import Any

from hpc_components.operate.ways import Tunnel


def tunnel(access: Mapping[str, Any], head: Mapping[str, Any]) -> Tunnel | None:
    """See `CloudReach`."""
    return None


def console(access: Mapping[str, Any], head: Mapping[str, Any]) -> Sequence[Sequence[str]]:
    """See `CloudReach`. The toy cloud has no programs."""
    return ()
