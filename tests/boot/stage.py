"""A cloud as a node sees it: what tests of its verbs ask for, and how they call a verb."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass

from hpc_components.spec.cluster import ClusterSpec

from .sandbox import Sandbox

CALL = 'source common/node.sh; "$@" >/said'
"""Runs a verb in the shell of a step, and keeps what it prints apart from what it says."""


@dataclass(frozen=True)
class Said:
    """What a verb has said."""

    status: int
    out: bytes
    """What it printed."""
    why: str
    """The last line that it wrote elsewhere."""

    @property
    def lines(self) -> list[str]:
        """What it printed, of a verb that must succeed."""
        assert self.status == 0, self.why
        return self.out.decode().splitlines()


def call(box: Sandbox, *command: str) -> Said:
    """Call a verb on a node."""
    run = box.run("bash", "-Eeuo", "pipefail", "-O", "inherit_errexit", "-c", CALL, "hpc-boot", *command)
    return Said(run.returncode, (box.root / "said").read_bytes(), run.stdout.strip().rpartition("\n")[2])


def refused(said: Said) -> str:
    """Why a verb was not done: it must say so, and must print nothing that a step could take for an answer."""
    assert (said.status != 0, said.out, bool(said.why)) == (True, b"", True), said
    return said.why


class Stage(ABC):
    """A cloud as a node sees it, which the tests can change."""

    cluster: ClusterSpec
    """What the nodes are of."""
    facts: Mapping[str, str]
    """What the verb `fact` must print on a compute node."""

    @abstractmethod
    def node(self, role: str) -> Sandbox:
        """A new node."""

    @abstractmethod
    def silent(self, box: Sandbox) -> None:
        """From now on the metadata service does not answer this node."""

    @abstractmethod
    def put_secret(self, name: str, value: bytes | None) -> None:
        """A secret of the cluster's has this value; None for one without a value."""

    @abstractmethod
    def secret(self, name: str) -> bytes | None:
        """Its value."""

    @abstractmethod
    def user_secret(self, value: bytes) -> str:
        """What a description calls a secret of the user's with this value."""

    @abstractmethod
    def folder(self, box: Sandbox, objects: Mapping[str, bytes]) -> AbstractContextManager[str]:
        """The address of a folder with these objects, which the node may read."""

    @abstractmethod
    def logs(self) -> list[list[str]]:
        """The lines of all logs that were sent."""

    @abstractmethod
    def disks(self, box: Sandbox, own: tuple[str, ...], state: str | None) -> None:
        """Let the machine have such disks of its own, the state volume, if any, and network volumes."""
