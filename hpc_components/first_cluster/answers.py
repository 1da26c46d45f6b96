"""The answers that make a first description, and a cloud's part in it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

__all__ = ["FURTHER_QUESTIONS", "Answers", "FirstCluster", "Zone"]

FURTHER_QUESTIONS = ("project", "ssh_key", "key_pair", "billing_account")
"""Answers that only some clouds need, by the field of `Answers`."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The user's answers; all else follows from them."""

    name: str
    """Name of the cluster and of its stack."""
    workload: str
    """One of `WORKLOADS`."""
    region: str
    machine: str
    """Machine type of the compute nodes."""
    zone: str
    cidr: str
    """Address range of the cluster's network."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges from which people log in by SSH."""
    max_nodes: int
    """The most compute nodes that run at once."""
    scratch: str = ""
    """Size of a Lustre file system for scratch data; empty for none."""
    bucket: bool = False
    """Whether a bucket is made for people and jobs."""
    login_nodes: bool | None = None
    """Whether there are login nodes; None for only where nobody could log in without."""
    key_pair: str = ""
    """Name of the key pair that nodes get, where the cloud keeps keys by name; empty for none."""
    ssh_key: str = ""
    """Public SSH key of the administrator, where the cloud asks for it; empty for none."""
    project: str = ""
    """Id of the project that it is made in, where the cloud has projects; empty for not known yet."""
    budget: float | None = None
    """USD a month."""
    billing_account: str = ""
    """Id of the account that a budget is of, where the cloud asks for it; empty for not known yet."""
    notify: tuple[str, ...] = ()
    """Mail addresses for the budget's alerts."""


@dataclass(frozen=True)
class Zone:
    """Where the cluster will stand."""

    id: str
    note: str = ""
    """Why it is uncertain; empty if the zone is known to sell the machine."""


class FirstCluster(Protocol):
    """The interface of a cloud's part `first_cluster`, usually a module."""

    @property
    def asks(self) -> Collection[str]:
        """Which of `FURTHER_QUESTIONS` it asks."""
        ...

    @property
    def instead(self) -> Mapping[str, str]:
        """What to do instead of answering one of `FURTHER_QUESTIONS` that it does not ask, where there is a way."""
        ...

    def default_region(self) -> str:
        """The region that is proposed."""
        ...

    def check_region(self, region: str) -> None:
        """Raise ValueError, with a remedy, if nothing is known of the region."""
        ...

    def workload_of(self, machine: str, /) -> str:
        """What a machine type is mostly used for."""
        ...

    def machines_for(self, workload: str, region: str) -> Sequence[str]:
        """The machine types of the workload that the region sells, the proposed one first."""
        ...

    def max_nodes_for(self, workload: str) -> int:
        """The number of nodes that is proposed."""
        ...

    def scratch_for(self, workload: str) -> str:
        """The size of a Lustre file system that is proposed; empty if none is."""
        ...

    def machine_for(self, workload: str, region: str) -> str:
        """The machine type that is proposed. ValueError, with a remedy, if none is known to be sold there."""
        ...

    def zone_for(self, machine: str, region: str, /) -> Zone:
        """The zone for a machine type. ValueError, with a remedy, if it is not sold in the region."""
        ...

    def describe(self, answers: Answers) -> str:
        """The text of the stack file."""
        ...
