from collections.abc import Iterator

from hpc_components.catalog import close_names, is_known_type, regions, regions_offering, zones, zones_offering
from hpc_components.catalog.account_facts import days_kept, outdated_fact
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem, dotted
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import (
    Use,
    cloud_of,
    compute_arch,
    facts,
    in_region,
    mentions,
    nearest,
    uses,
    words_of,
)
from hpc_components.wording import any_of

MIN_MEMORY_GIB = 2
"""Minimum node memory in GiB. With less, unattended upgrades or compilers run out of memory."""


@rule("HPC-MCH-004", Level.ERROR)
def known_machine(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every machine type must exist on the cloud.

    Source: the cloud's own list, as recorded in the catalogue; on AWS, EC2 DescribeInstanceTypes.
    """
    examples = words_of(cluster).machines
    for use in uses(cluster):
        if use.facts is None and not is_known_type(cluster.cloud, use.name):
            near = close_names(cluster.cloud, use.name)
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"the catalogue lists no machine type {use.name!r} for {cloud_of(cluster)}",
                remedy=f"did you mean {any_of(near)}?"
                if near
                else _like(use.name, cluster) or f"use a machine type such as {examples.queue} or {examples.fabric}",
            )


def _like(name: str, cluster: ClusterSpec) -> str:
    """Another cloud's machine type is a common mistake, because descriptions are often copied from one cloud to
    another.
    """
    from hpc_components.catalog.similar_machines import (
        machine_called,
    )  # imported here because it reads the catalogues of all clouds

    if machine_called(name) is None:
        return ""
    return (
        f"this is another cloud's machine type: run `hpc machines --like {name} --cloud {cluster.cloud}` to list "
        "similar types"
    )


@rule("HPC-MCH-005", Level.WARNING)
def machine_with_facts(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every machine type should be in the catalogue.

    Rules can't check a type whose cores, memory, network, zones and price are unknown. A queue with such a type is an
    error, because slurm.conf must state the cores and memory of nodes that aren't running yet. Source: slurm.conf(5),
    State=CLOUD.
    """
    for use in uses(cluster):
        if use.facts is None and is_known_type(cluster.cloud, use.name):
            near = [name for name in close_names(cluster.cloud, use.name) if facts(cluster, name)]
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"{use.name} exists, but the catalogue has no data on it: "
                + (
                    "this machine type can't be checked"
                    if use.queue is None
                    else "slurm.conf needs its core count and memory"
                ),
                remedy=f"use {any_of(near)}" if near else "use another machine type (`hpc machines` lists them)",
                level=None if use.queue is None else Level.ERROR,
            )


@rule("HPC-MCH-006", Level.ERROR)
def sold_in_region(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every machine type must be sold in the cluster's region.

    Source: EC2 DescribeInstanceTypeOfferings, as in the catalogue.
    """
    for use in uses(cluster) if cluster.region in regions(cluster.cloud) else ():
        if use.facts and cluster.region not in use.facts.offered:
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"{use.name} is not sold in {cluster.region}{_origin(use, cluster)}",
                remedy=f"use region: {any_of(regions_offering(use.facts), most=8)} and zones in that region, or use "
                "another machine type",
                level=_offered_level(use, cluster),
            )


@rule("HPC-MCH-007", Level.ERROR)
def sold_in_zone(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every machine type must be sold in at least one of the zones where it is used.

    HPC types are sold in only one zone of a region. Source: EC2 DescribeInstanceTypeOfferings by zone id.
    """
    for use in uses(cluster):
        sold = _sold(use, cluster)
        wanted = [zone for zone in use.zones if zone in zones(cluster.cloud, cluster.region)]
        if sold and wanted and not set(sold) & set(wanted):
            holder = dotted(use.path[: 1 if use.queue is None else 2])
            where = f"zone: {sold[0]}" if use.path[0] == "head_node" else f"{holder}.zones: [{sold[0]}]"
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"{use.name} is not sold in {any_of(wanted)}; in {cluster.region} it is sold in "
                f"{', '.join(sold)}{_origin(use, cluster)}",
                remedy=f"use {where}, or another machine type",
                level=_offered_level(use, cluster),
            )


@rule("HPC-MCH-008", Level.WARNING)
def zone_of_use(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every zone of a queue should sell at least one of the queue's machine types.

    Trying a zone that sells none of them only delays launches. Source: EC2 DescribeInstanceTypeOfferings.
    """
    every = list(uses(cluster))
    for index, queue in enumerate(cluster.queues):
        own = [use for use in every if use.queue == index]
        sold = [set(_sold(use, cluster)) for use in own]
        if not all(sold):
            continue
        for number, zone in enumerate(queue.zones):
            useful = any(zone in offered for offered in sold)
            if (
                zone in zones(cluster.cloud, cluster.region)
                and not useful
                and any(offered & set(queue.zones) for offered in sold)
            ):
                yield Problem(
                    path=("queues", index, "zones", number),
                    value=zone,
                    reason=f"{zone} sells none of {', '.join(queue.machines)}{_origin(own[0], cluster)}",
                    remedy=f"remove this zone; {queue.machine} is available in {', '.join(sorted(sold[0]))}",
                )


@rule("HPC-MCH-025", Level.INFO)
def recent_facts(cluster: ClusterSpec) -> Iterator[Problem]:
    """The project's own facts about machine types should be recent enough to be used.

    `hpc preflight STACK --keep` writes what the account answered into `hpc-facts/<cloud>.json`. Clouds open zones and
    lift restrictions, so an older answer is not trusted more than the catalogue. Source: the catalogue's number of
    days (`account_facts.json`), which is our own choice.
    """
    for use in uses(cluster):
        if use.facts and (fact := outdated_fact(use.facts, cluster.region)):
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"what the account answered about {use.name} in {cluster.region} dates from {fact.as_of}; "
                f"only answers of the last {days_kept()} days are used, so the catalogue's own facts apply",
                remedy="run `hpc preflight STACK --keep`",
            )


@rule("HPC-MCH-010", Level.ERROR)
def one_architecture(cluster: ClusterSpec) -> Iterator[Problem]:
    """All nodes must have the same processor architecture.

    Nodes share /home, modules and programs, and programs built on a login node must run on compute nodes. Source:
    ParallelCluster 3.16, ArchitectureOsValidator and similar validators.
    """
    arch = compute_arch(cluster)
    for use in uses(cluster):
        if arch and use.facts and use.facts.arch != arch and "fallback" not in use.path:
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"{use.name} is {use.facts.arch}, but the first queue's {cluster.queues[0].machine} is {arch}",
                remedy=f"use an {arch} machine type here, or {use.facts.arch} everywhere",
            )


@rule("HPC-MCH-011", Level.WARNING)
def no_burstable(cluster: ClusterSpec) -> Iterator[Problem]:
    """Machines should not be burstable.

    When a T type runs out of CPU credits, it slows down to a fraction of its speed. Slurm's controller then responds
    late, and job run times vary. Source: EC2 user guide, burstable performance instances.
    """
    for use in uses(cluster):
        if use.facts and use.facts.burstable:
            steady = nearest(
                use.facts, [m for m in in_region(cluster) if not m.burstable and m.arch == use.facts.arch]
            )
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"{use.name} is burstable: it slows down when its CPU credits run out",
                remedy=f"use {any_of(steady)}" if steady else "use a machine type from another family",
            )


@rule("HPC-MCH-012", Level.WARNING)
def enough_memory(cluster: ClusterSpec) -> Iterator[Problem]:
    """Every machine should have at least 2 GiB of memory.

    Source: ParallelCluster 3.16, which warns about micro and nano types.
    """
    for use in uses(cluster):
        if use.facts and use.facts.memory_gib < MIN_MEMORY_GIB:
            yield Problem(
                path=use.path,
                value=use.name,
                reason=f"{use.name} has only {use.facts.memory_gib:g} GiB of memory",
                remedy=f"use a machine type with at least {MIN_MEMORY_GIB} GiB, e.g. "
                f"{words_of(cluster).machines.least}",
            )


@rule("HPC-MCH-014", Level.ERROR)
def threads_fixed(cluster: ClusterSpec) -> Iterator[Problem]:
    """Queues with `smt: false` must have machines that the cloud can launch with one thread per core.

    The number of threads per core can't be changed on bare-metal machines. For other machines, a request to EC2 must
    specify the number of cores, which is unknown for types that are not in the catalogue. Source: the cloud's own
    list, as recorded in the catalogue; on AWS, EC2 user guide, "Rules for specifying CPU options", and
    DescribeInstanceTypes, ValidThreadsPerCore.
    """
    compute = words_of(cluster).compute
    for index, queue in enumerate(cluster.queues):
        for path, name in mentions(index, queue) if not queue.smt else ():
            machine = facts(cluster, name)
            if machine and (machine.threads_per_core == 1 or 1 in machine.valid_threads_per_core):
                continue
            if machine or is_known_type(cluster.cloud, name):
                yield Problem(
                    path=path,
                    value=name,
                    reason=f"{compute} can't launch {name} with one thread per core"
                    if machine
                    else f"with smt: false, {compute} requires the core count of {name}, which is not in the "
                    "catalogue",
                    remedy="use smt: true and let jobs request whole cores (--hint=nomultithread), or use another "
                    "machine type",
                )


def _origin(use: Use, cluster: ClusterSpec) -> str:
    """Return the end of a reason that is based on the project's own facts, or an empty string."""
    words = use.facts.own_facts.get(cluster.region) if use.facts else None
    return f", {words}" if words else ""


def _offered_level(use: Use, cluster: ClusterSpec) -> Level | None:
    unsure = use.facts is not None and "offered" in use.facts.unsure and cluster.region not in use.facts.own_facts
    return Level.WARNING if unsure else None


def _sold(use: Use, cluster: ClusterSpec) -> tuple[str, ...]:
    """Return the region's zones in which the machine type is sold, or an empty tuple if they are unknown."""
    return zones_offering(use.facts, cluster.region) if use.facts else ()
