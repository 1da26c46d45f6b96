"""The answers from which a first description is made, and the interface of a cloud's part in that."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

FURTHER_QUESTIONS = ("project", "ssh_key", "key_pair", "billing_account")
"""Fields of `Answers` that only some clouds ask for."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The user's answers; everything else follows from them."""

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
    """Maximum number of compute nodes that run at once."""
    scratch: str = ""
    """Size of a Lustre file system for scratch data; empty for none."""
    bucket: bool = False
    """Whether to make a bucket for users and jobs."""
    login_nodes: bool | None = None
    """Whether to have login nodes; None to have them only if users could not log in otherwise."""
    key_pair: str = ""
    """Name of the key pair for nodes, if the cloud keeps keys by name; empty for none."""
    ssh_key: str = ""
    """The administrator's public SSH key, if the cloud asks for it; empty for none."""
    project: str = ""
    """Id of the project for the cluster, if the cloud has projects; empty if not known yet."""
    budget: float | None = None
    """Budget in USD a month; None for no budget."""
    billing_account: str = ""
    """Id of the account that the budget belongs to, if the cloud asks for it; empty if not known yet."""
    notify: tuple[str, ...] = ()
    """E-mail addresses for budget alerts."""


@dataclass(frozen=True)
class Zone:
    """The zone of the cluster."""

    id: str
    note: str = ""
    """Why the choice is uncertain; empty if the zone is known to sell the machine."""


class FirstCluster(Protocol):
    """The interface of a cloud's part `first_cluster`, usually a module."""

    @property
    def asks(self) -> Collection[str]:
        """Those of `FURTHER_QUESTIONS` that this cloud asks."""
        ...

    @property
    def instead(self) -> Mapping[str, str]:
        """What to do instead, for those of `FURTHER_QUESTIONS` that this cloud does not ask."""
        ...

    def default_region(self) -> str:
        """Return the proposed region."""
        ...

    def check_region(self, region: str) -> None:
        """Raise ValueError, with a remedy, if the region is unknown."""
        ...

    def workload_of(self, machine: str, /) -> str:
        """Return the workload that a machine type is mostly used for."""
        ...

    def machines_for(self, workload: str, region: str) -> Sequence[str]:
        """Return the machine types for the workload that the region sells, the proposed one first."""
        ...

    def max_nodes_for(self, workload: str) -> int:
        """Return the proposed maximum number of nodes."""
        ...

    def scratch_for(self, workload: str) -> str:
        """Return the proposed size of a Lustre file system; empty if none is proposed."""
        ...

    def machine_for(self, workload: str, region: str) -> str:
        """Return the proposed machine type; ValueError, with a remedy, if the region is not known to sell one."""
        ...

    def zone_for(self, machine: str, region: str, /) -> Zone:
        """Return the zone for a machine type; ValueError, with a remedy, if the region does not sell it."""
        ...

    def describe(self, answers: Answers) -> str:
        """Return the text of the stack file."""
        ...
