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
    """Don't use a machine from a retired series.

    Azure has stopped all machines in retired series and creates no new ones. Source: Azure documentation, "Retired
    Azure VM size series".
    """
    for use in uses(cluster):
        ended = retirement(use.name)
        if ended is not None and ended.past:
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"Azure retired the {ended.family} series on {ended.on}",
                remedy=f"use {ended.successor}"
                if ended.successor
                else "use a newer machine type; to list all types, run `hpc machines`",
                level=Level.WARNING if ended.unsure else None,
            )


@rule("HPC-MCH-019", Level.WARNING)
def lasting_machine(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Avoid machines from a series that Azure is going to retire.

    Azure stops the series' machines on the retirement date, and even before then it is hard to get quota for them.
    Source: Azure documentation, "Retired Azure VM size series".
    """
    for use in uses(cluster):
        ends = retirement(use.name)
        if ends is not None and not ends.past:
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"Azure will retire the {ends.family} series on {ends.on}",
                remedy=f"use {ends.successor}"
                if ends.successor
                else "use a newer machine type; to list all types, run `hpc machines`",
            )


@rule("HPC-MCH-020", Level.INFO)
def fewer_cores(cluster: AzureClusterSpec) -> Iterator[Problem]:
    """Choose the full size unless jobs need fewer cores: constrained sizes save neither money nor quota.

    Constrained sizes are meant for jobs that need more memory per core or use software licensed per core. Source:
    Azure documentation, "Constrained vCPU sizes for database workloads" and "HBv4-series virtual machine overview".
    """
    for use in uses(cluster):
        full = machine("azure", full_size(use.name))
        if use.facts and full and full.name != use.name:
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"this size costs as much as {full.name} and counts as {full.vcpus} vCPUs against the quota",
                remedy=f"use {full.name}, unless jobs need more memory per core or have licences for only "
                f"{use.facts.cores} cores",
            )
