"""Rules on machine types of EC2."""

from collections.abc import Iterator

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.catalog import is_previous_generation
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, uses
from hpc_components.wording import any_of


@rule("HPC-MCH-009", Level.WARNING)
def current_generation(cluster: AwsClusterSpec) -> Iterator[Problem]:
    """Machines are of the current generation.

    Previous generations cost more for less performance, and AWS does not renew their capacity. Source: EC2
    DescribeInstanceTypes, CurrentGeneration.
    """
    for use in uses(cluster):
        if is_previous_generation("aws", use.name):
            newer = [m.name for m in in_region(cluster) if m.name[0] == use.name[0] and _same_size(m.name, use.name)]
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"EC2 lists {use.name} as a previous generation",
                remedy=f"use {any_of(newer)}" if newer else "use a newer type of the same kind",
            )


def _same_size(one: str, other: str) -> bool:
    return one.partition(".")[2] == other.partition(".")[2] and not is_previous_generation("aws", one)
