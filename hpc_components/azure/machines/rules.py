"""Rules on machine types that Azure retires, and on sizes with fewer cores."""

from collections.abc import Iterator

from hpc_components.azure.catalog.machines import retirement
from hpc_components.azure.catalog.size_names import full_size
from hpc_components.azure.spec.cluster import AzureClusterSpec
from hpc_components.catalog import machine
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import uses


@rule("HPC-MCH-018", Level.ERROR)
def living_machine(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """No machine belongs to a retired series.

    Azure has stopped the machines of such a series and creates no new ones. Source: Azure documentation, "Retired
    Azure VM size series".
    """
    for use in uses(cluster):
        ended = retirement(use.name)
        if ended is not None and ended.past:
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"Azure retired the {ended.family} series on {ended.on}",
                remedy=f"use {ended.successor}" if ended.successor else "use a newer type (hpc machines lists them)",
                level=Level.WARNING if ended.unsure else None,
            )


@rule("HPC-MCH-019", Level.WARNING)
def lasting_machine(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """No machine belongs to a series that Azure will retire.

    Azure stops its machines on the date of retirement, and before that, quota for them is hard to get. Source: Azure
    documentation, "Retired Azure VM size series".
    """
    for use in uses(cluster):
        ends = retirement(use.name)
        if ends is not None and not ends.past:
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"Azure retires the {ends.family} series on {ends.on}",
                remedy=f"use {ends.successor}" if ends.successor else "use a newer type (hpc machines lists them)",
            )


@rule("HPC-MCH-020", Level.INFO)
def fewer_cores(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """A size with fewer cores costs as much as the full size, and quotas count it the same.

    Its purpose is more memory per core, or licences that are paid per core. Source: Azure documentation, "Constrained
    vCPU sizes for database workloads" and "HBv4-series virtual machine overview".
    """
    for use in uses(cluster):
        full = machine("azure", full_size(use.name))
        if use.facts and full and full.name != use.name:
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"it costs as much as {full.name}, and quotas count {full.vcpus} vCPUs for it",
                remedy=f"use {full.name} unless jobs need the memory or licences of {use.facts.cores} cores",
            )
