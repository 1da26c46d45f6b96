"""Defines the answers that determine a first description, and the interface of a cloud's `first_cluster` part."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

FURTHER_QUESTIONS = ("project", "ssh_key", "key_pair", "billing_account")
"""Fields of `Answers` that only some clouds ask for."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    """The user's answers, which determine the whole description."""

    name: str
    """Name of the cluster and its stack."""
    workload: str
    """Purpose of the cluster; must be a key of `WORKLOADS`."""
    region: str
    machine: str
    """Machine type of the compute nodes."""
    zone: str
    cidr: str
    """Address range of the cluster's network."""
    ssh_from: tuple[str, ...] = ()
    """Address ranges from which users log in by SSH."""
    max_nodes: int
    """Maximum number of compute nodes that may run at once."""
    scratch: str = ""
    """Size of a Lustre file system for scratch data, e.g. `1.2TiB`; empty for no file system."""
    bucket: bool = False
    """Whether to create a bucket for users and jobs."""
    login_nodes: bool | None = None
    """Whether to have login nodes. None means to have them only if they are needed (see `has_login_nodes`)."""
    key_pair: str = ""
    """Name of the key pair for nodes, if the cloud stores keys by name; empty for no key pair."""
    ssh_key: str = ""
    """The administrator's public SSH key, if the cloud asks for it; empty for no key."""
    project: str = ""
    """Id of the project for the cluster, if the cloud has projects; empty if it is not yet known."""
    budget: float | None = None
    """Monthly budget in USD, or None for no budget."""
    billing_account: str = ""
    """Id of the billing account that the budget belongs to, if the cloud asks for it; empty if not yet known."""
    notify: tuple[str, ...] = ()
    """E-mail addresses for budget alerts."""


@dataclass(frozen=True)
class Zone:
    """The zone chosen for the cluster."""

    id: str
    note: str = ""
    """Why the choice is uncertain; empty if the machine type is definitely available in the zone."""


class FirstCluster(Protocol):
    """The interface of a cloud's `first_cluster` part, which is usually a module."""

    @property
    def asks(self) -> Collection[str]:
        """The members of `FURTHER_QUESTIONS` that `hpc init` asks for this cloud."""
        ...

    @property
    def instead(self) -> Mapping[str, str]:
        """Maps members of `FURTHER_QUESTIONS` that are not asked for this cloud to what the user should do
        instead."""
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
        """Return the machine types for the workload that are available in the region, the proposed one first."""
        ...

    def max_nodes_for(self, workload: str) -> int:
        """Return the proposed maximum number of nodes."""
        ...

    def scratch_for(self, workload: str) -> str:
        """Return the proposed size of a Lustre file system, or "" if none is proposed."""
        ...

    def machine_for(self, workload: str, region: str) -> str:
        """Return the proposed machine type. Raise ValueError, with a remedy, if none is known to be available."""
        ...

    def zone_for(self, machine: str, region: str, /) -> Zone:
        """Return the zone for a machine type. Raise ValueError, with a remedy, if the region does not offer it."""
        ...

    def describe(self, answers: Answers) -> str:
        """Return the text of a stack file with these answers."""
        ...
