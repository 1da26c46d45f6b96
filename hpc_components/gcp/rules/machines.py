"""Rules on machine families that Google has newer ones for."""

from collections.abc import Iterator

from hpc_components.catalog import is_previous_generation
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, nearest, uses
from hpc_components.wording import any_of

__all__: list[str] = []


@rule("HPC-MCH-021", Level.WARNING)
def newer_family(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """No machine is of a family that Google has newer ones for, like N1.

    They are slower for the same price, have no hyperdisks and slower networks. Source: Compute Engine documentation,
    "Machine families resource and comparison guide", series of previous generations.
    """
    for use in uses(cluster):
        if is_previous_generation(cluster.cloud, use.name):
            new = [m for m in in_region(cluster) if not is_previous_generation(m.cloud, m.name)]
            near = nearest(use.facts, [m for m in new if m.arch == use.facts.arch]) if use.facts else []
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"{use.name} is of a previous generation",
                remedy=f"use {any_of(near)}" if near else "use a type of a newer family (hpc machines lists them)",
            )
