"""All that a test may do to a cluster: run commands where users log in, as a user; and if the user wants that, have a
spot machine taken away.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hpc_components.accept.interruption import SpotMachine
from hpc_components.errors import HpcError
from hpc_components.spec.queues import Queue


class AcceptanceError(HpcError):
    """Raised if the test can't begin, or can't go on. The message has the remedy."""


@dataclass(frozen=True)
class Answer:
    """Output of a command, standard error included, and its exit code."""

    text: str
    code: int


@dataclass(frozen=True)
class Submitter:
    """The user who submits a queue's job, and the account in Slurm, or empty for the user's default."""

    user: str
    account: str


class Cluster(Protocol):
    """A running cluster."""

    rehearsed: bool
    """Whether it is a rehearsal on one machine."""
    places: Sequence[str]
    """Hosts on which users log in, by the names of `hpc ssh`. Jobs are submitted from the first."""

    def submitter(self, queue: Queue | None = None) -> Submitter:
        """Return who submits to a queue; without a queue, who logs in."""
        ...

    def run(self, script: str, *, place: str, user: str, stdin: str = "", seconds: int = 60) -> Answer:
        """Run a script of Bash in a login shell. Its exit code is 124 if it takes longer than `seconds`.

        Raise AcceptanceError if the place can't be reached.
        """
        ...

    def take_away(self, machine: SpotMachine, say: Callable[[str], None]) -> bool:
        """Have the cloud take a spot machine away. Return False if the user must do that, and say how."""
        ...


TIMED_OUT = 124
"""Exit code of timeout(1) if the command was stopped."""
