"""The answers that make a first description, and a cloud's part in it."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol, cast

from hpc_components.cloud import cloud_named

__all__ = ["FURTHER_QUESTIONS", "Answers", "Beginning", "Zone", "beginning"]

FURTHER_QUESTIONS = ("project", "ssh_key", "billing_account")
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


class Beginning(Protocol):
    """The interface of a cloud's module `first_cluster`."""

    asks: Collection[str]
    """Which of `FURTHER_QUESTIONS` it asks."""

    def default_region(self) -> str:
        """The region that is proposed."""
        ...

    def check_region(self, region: str) -> None:
        """Raise ValueError, with a remedy, if nothing is known of the region."""
        ...

    def workload_of(self, machine: str) -> str:
        """What a machine type is mostly used for."""
        ...

    def machine_for(self, workload: str, region: str) -> str:
        """The machine type that is proposed. ValueError, with a remedy, if none is known to be sold there."""
        ...

    def zone_for(self, machine: str, region: str) -> Zone:
        """The zone for a machine type. ValueError, with a remedy, if it is not sold in the region."""
        ...

    def describe(self, answers: Answers) -> str:
        """The text of the stack file."""
        ...


def beginning(cloud: str) -> Beginning:
    """The part of `cloud`."""
    return cast(Beginning, cloud_named(cloud).part("first_cluster"))
