"""Rules on machine types that only EC2 has."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import is_known_type, is_previous_generation
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import facts, in_region, mentions, uses
from hpc_components.wording import any_of

__all__: list[str] = []


@rule("HPC-MCH-009", Level.WARNING)
def current_generation(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """No machine is of a previous generation.

    It costs more for less, and capacity is not renewed. Source: EC2 DescribeInstanceTypes, CurrentGeneration.
    """
    for use in uses(cluster):
        if is_previous_generation("aws", use.name):
            newer = [m.name for m in in_region(cluster) if m.name[0] == use.name[0] and _same_size(m.name, use.name)]
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"EC2 calls {use.name} a previous generation",
                remedy=f"use {any_of(newer)}" if newer else "use a newer type of the same kind",
            )


def _same_size(one: str, other: str) -> bool:
    return one.partition(".")[2] == other.partition(".")[2] and not is_previous_generation("aws", one)


@rule("HPC-MCH-014", Level.ERROR)
def threads_fixed(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """`smt: false` is for machines that EC2 can launch with one thread per core.

    Bare metal comes as it is, and for a type without facts the number of cores, which EC2 wants to be told, is not
    known. Source: EC2 user guide, "Rules for specifying CPU options"; DescribeInstanceTypes, ValidThreadsPerCore.
    """
    for index, queue in enumerate(cluster.queues):
        for path, name in mentions(index, queue) if not queue.smt else ():
            machine = facts(cluster, name)
            if machine and (machine.threads_per_core == 1 or 1 in machine.valid_threads_per_core):
                continue
            if machine or is_known_type("aws", name):
                yield Problem(
                    path=path,
                    value=name,
                    reason=f"EC2 can't launch {name} with one thread per core"
                    if machine
                    else f"how many cores {name} has is not known here, and smt: false needs to tell EC2",
                    remedy="use smt: true and let jobs ask for whole cores (--hint=nomultithread), or another type",
                )
