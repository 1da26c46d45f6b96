from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

FURTHER_QUESTIONS = ("project", "ssh_key", "key_pair", "billing_account")
"""Fields of `Answers` that are asked for only on some clouds."""


@dataclass(frozen=True, kw_only=True)
class Answers:
    name: str
    """Name of the cluster and of its stack."""
    workload: str
    """Purpose of the cluster: a key of `WORKLOADS`."""
    region: str
    machine: str
    zone: str
    cidr: str
    ssh_from: tuple[str, ...] = ()
    max_nodes: int
    scratch: str = ""
    """Size of a Lustre file system for scratch data, e.g. `1.2TiB`. Empty for no such file system."""
    bucket: bool = False
    login_nodes: bool | None = None
    """Whether to create login nodes. None to create them only if they are needed (see `has_login_nodes`)."""
    key_pair: str = ""
    """Name of the nodes' key pair, on clouds that store keys by name. Empty for no key pair."""
    ssh_key: str = ""
    """The administrator's public SSH key, on clouds that ask for it. Empty for no key."""
    users: Mapping[str, str] = field(default_factory=dict)
    """Public SSH keys of the first users, keyed by login name. The first user is an administrator."""
    project: str = ""
    """Id of the project that will contain the cluster, on clouds that have projects. Empty if not yet known."""
    budget: float | None = None
    """Monthly budget in USD, or None for no budget."""
    billing_account: str = ""
    """Id of the billing account for the budget, on clouds that ask for it. Empty if not yet known."""
    notify: tuple[str, ...] = ()
    """E-mail addresses for budget alerts."""


@dataclass(frozen=True)
class Zone:
    id: str
    note: str = ""
    """Why the zone may be wrong. Empty if the machine type is definitely available there."""


class FirstCluster(Protocol):
    """Interface of a cloud's `first_cluster`, which is usually a module."""

    @property
    def asks(self) -> Collection[str]:
        """The fields in `FURTHER_QUESTIONS` that `hpc init` asks for on this cloud."""
        ...

    @property
    def instead(self) -> Mapping[str, str]:
        """Maps fields in `FURTHER_QUESTIONS` that are not asked for on this cloud to what the user can do instead."""
        ...

    def default_region(self) -> str: ...

    def check_region(self, region: str) -> None:
        """Raise ValueError, with a remedy, if the region does not exist."""
        ...

    def workload_of(self, machine: str, /) -> str:
        """Return the workload that the machine type is typically used for."""
        ...

    def machines_for(self, workload: str, region: str) -> Sequence[str]:
        """Return the workload's machine types that are available in the region, starting with the proposed one."""
        ...

    def max_nodes_for(self, workload: str) -> int: ...

    def scratch_for(self, workload: str) -> str:
        """Return the proposed size of a Lustre file system, or an empty string if none is proposed."""
        ...

    def machine_for(self, workload: str, region: str) -> str:
        """Return the proposed machine type. Raise ValueError, with a remedy, if none is known to be available."""
        ...

    def zone_for(self, machine: str, region: str, /) -> Zone:
        """Return the best zone for the machine type. Raise ValueError, with a remedy, if the region does not offer
        the type.
        """
        ...

    def describe(self, answers: Answers) -> str:
        """Return the text of a stack file generated from these answers."""
        ...
