"""How a cloud is asked to take a spot machine away: by its own command line, with the user's own credentials."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from hpc_components.operate.cloud_command import run_cloud_command
from hpc_components.operate.reach import what_is_missing
from hpc_components.operate.ways import Program

_WORD = re.compile(r"[A-Za-z0-9_/][A-Za-z0-9_./-]*")
"""A name or an id that may become part of a command line."""


@dataclass(frozen=True, kw_only=True)
class SpotMachine:
    """The machine under a node on which a job of the test runs alone."""

    cluster: str
    node: str
    address: str
    id: str
    """Its id as cloud-init knows it, or `-` if the node has no cloud-init."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """Commands that have the cloud take a machine away."""

    program: Program
    find: Sequence[str]
    """Prints the words for `take` if the cloud has exactly this machine, and it is a spot machine; else nothing."""
    take: Sequence[str]
    """`{0}` stands for the first word that `find` printed, `{1}` for the second."""


@dataclass(frozen=True, kw_only=True)
class Interruption:
    order: Order | None
    """None if the cloud offers no command without preparations."""
    by_hand: str
    """What the user types or does if `order` is None or fails."""


class CloudSpot(Protocol):
    """A cloud's part `spot`, usually its module `accept.spot`."""

    @property
    def NOTICE_WITHIN_SECONDS(self) -> int:  # noqa: N802  a constant of the module
        """Time after which a machine must have its notice, counted from the order or from the request to the user."""
        ...

    def interruption(self, access: Mapping[str, Any], head: Mapping[str, Any], machine: SpotMachine) -> Interruption:
        """Return how this machine is taken away.

        `access` and `head` are the stack's outputs `access` and `head_node`.
        """
        ...


def give(order: Order) -> str:
    """Have the cloud take the machine away. Return why it does not, or an empty string if it does."""
    if missing := what_is_missing([order.program]):
        return missing
    found, failure = run_cloud_command(order.find)
    words = found.split()
    if failure:
        return failure
    if not words or not all(map(_WORD.fullmatch, words)):
        return "the cloud does not list the node's machine as a spot machine"
    try:
        command = [each.format(*words) for each in order.take]
    except IndexError:
        return f"{order.find[0]} printed {found.strip()!r}"
    return run_cloud_command(command)[1]
