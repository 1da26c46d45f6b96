"""Compact and spread placement policies: how many machines one takes."""

from hpc_components.catalog.machine_type import Machine

__all__ = ["SPREAD_DOMAINS", "policy_machines"]

SPREAD_DOMAINS = 8
"""Availability domains of a spread placement policy. Source: Compute Engine documentation, "Create and apply spread
placement policies"."""


def policy_machines(machine: Machine, distance: int | None) -> int:
    """Most machines of one compact placement policy. Source: slurm-gcp, limits of placement groups."""
    at_two = 256 if machine.family == "a3" else 150
    return {1: 22, 2: at_two}.get(distance or 3, 1500)
