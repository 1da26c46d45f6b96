"""Rules on Persistent Disks and Hyperdisks."""

from collections.abc import Iterator

from hpc_components.catalog import Machine
from hpc_components.catalog.refusal import Refusal, Why
from hpc_components.gcp.catalog.disks import (
    DiskOrder,
    default_disk_type,
    disk_refusals,
    disk_type,
    takes_disk,
)
from hpc_components.gcp.rules._disks import DiskUse, disks
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._sizes import not_whole_gib
from hpc_components.wording import any_of


@rule("HPC-GDK-001", Level.ERROR)
def disk_of_machine(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A machine takes a disk of its type.

    H4D, C4, A3 Ultra and A4 take hyperdisks only, C2 none, H3 no pd-ssd. Source: Compute Engine documentation,
    "Machine families", supported disk types; Cluster Toolkit, instance_validations.
    """
    for use, machine, refusal in _refused(cluster, "type"):
        if refusal.because_of == "machine" and machine is not None:
            what = "boots from no" if use.root else "takes no"
            yield Problem(
                path=(*use.path, "type"),
                value=_type(use, machine),
                reason=f"{machine.name} {what} {_type(use, machine)}",
                remedy=f"use {any_of(map(str, refusal.allowed))}",
            )


@rule("HPC-GDK-002", Level.WARNING)
def disk_of_machine_perhaps(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A machine takes a disk of its type for sure.

    Of some types sources disagree. Source: as HPC-GDK-001.
    """
    for use in disks(cluster):
        for machine in use.machines:
            given = use.disk.type
            if given is not None and takes_disk(machine, given, "root" if use.root else "data") is None:
                yield Problem(
                    path=(*use.path, "type"),
                    value=given,
                    reason=f"sources disagree whether {machine.name} takes {given}",
                    remedy=f"use {default_disk_type(machine)}",
                )
                break


@rule("HPC-GDK-003", Level.ERROR)
def boots_from(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """Systems boot from disks of a type that can be a root disk.

    Not from pd-extreme, hyperdisk-extreme or hyperdisk-throughput. Source: Compute Engine documentation, "Persistent
    Disk" and "Hyperdisk", boot disks.
    """
    for use, machine, refusal in _refused(cluster, "type"):
        if refusal.because_of == "root":
            fit = [kind for kind in map(str, refusal.allowed) if not machine or takes_disk(machine, kind, "root")]
            yield Problem(
                path=(*use.path, "type"),
                value=use.disk.type,
                reason=f"no machine boots from {use.disk.type}",
                remedy=f"use {any_of(fit)}",
            )


@rule("HPC-GDK-004", Level.ERROR)
def disk_size(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A disk's size is one that its type comes in, in whole GiB.

    Source: Compute Engine documentation, "Persistent Disk" and "Hyperdisk", size limits.
    """
    for use, machine, refusal in _refused(cluster, "size_gib"):
        gib, least, most = use.disk.size.in_gib, int(refusal.allowed[0]), int(refusal.allowed[-1])
        if least <= gib <= most:
            reason, remedy = not_whole_gib(use.disk.size, "Google")
        else:
            reason = f"{_type(use, machine)} has {least:,} to {most:,} GiB, not {gib:,.10g}"
            remedy = f"use {least if gib < least else most}GiB"
        yield Problem(path=(*use.path, "size"), value=str(use.disk.size), reason=reason, remedy=remedy)


@rule("HPC-GDK-005", Level.ERROR)
def speed_taken(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """`iops` and `throughput` are for hyperdisks that take them; the speed of others follows from their size.

    Source: Compute Engine documentation, "Hyperdisk", provisioned performance.
    """
    for field in ("iops", "throughput"):
        for use, machine, _ in _refused(cluster, field, Why.NOT_TAKEN):
            balanced = machine is None or takes_disk(machine, "hyperdisk-balanced", "root" if use.root else "data")
            yield Problem(
                path=(*use.path, field),
                value=getattr(use.disk, field),
                reason=f"the {field} of {_type(use, machine)} can't be set: a larger disk is faster",
                remedy="remove it" + (", or use type: hyperdisk-balanced" if balanced else ""),
            )


@rule("HPC-GDK-006", Level.ERROR)
def speed_range(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """`iops` and `throughput` are in the range of the disk's type, size and iops.

    Where a limit is unsure, it is only warned about. Source: Compute Engine documentation, "Hyperdisk", performance
    limits.
    """
    for field, unit, limits in (
        ("iops", "iops", ("min_iops", "max_iops")),
        ("throughput", "MiB/s", ("min_mibps", "max_mibps")),
    ):
        for use, machine, refusal in _refused(cluster, field, Why.NOT_SOLD):
            wanted, least, most = getattr(use.disk, field), int(refusal.allowed[0]), int(refusal.allowed[-1])
            given = {"size_gib": f" with {use.disk.size}", "iops": f" with {use.disk.iops} iops"}
            kind = disk_type(_type(use, machine))
            unsure = kind is not None and limits[0 if wanted < least else 1] in kind.unsure
            yield Problem(
                path=(*use.path, field),
                value=wanted,
                reason=f"{_type(use, machine)} has {least:,} to {most:,} {unit}"
                + given.get(refusal.because_of or "", ""),
                remedy=f"use {least if wanted < least else most}"
                + {"size_gib": ", or a larger disk", "iops": ", or more iops"}.get(refusal.because_of or "", ""),
                level=Level.WARNING if unsure and refusal.because_of is None else None,
            )


@rule("HPC-GDK-007", Level.WARNING)
def state_on_ssd(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """The head node's state is on a fast disk: pd-balanced, pd-ssd or a hyperdisk.

    Slurm writes many small files, the accounting database syncs after each transaction. Source: Slurm's High
    Throughput Computing guide, StateSaveLocation.
    """
    kind = cluster.head_node.state.type
    if kind in ("pd-standard", "hyperdisk-throughput"):
        yield Problem(
            path=("head_node", "state", "type"),
            value=kind,
            reason=f"every job is several small writes, and {kind} does few in a second",
            remedy="use pd-balanced, or pd-ssd",
        )


def _type(use: DiskUse, machine: Machine | None) -> str:
    """The kind of a disk: what is given, or the default for its machine."""
    return use.disk.type or default_disk_type(machine)


def _refused(cluster: GcpClusterSpec, field: str, *whys: Why) -> Iterator[tuple[DiskUse, Machine | None, Refusal]]:
    """What Google would refuse in a field of the cluster's disks, for any or some reasons, each disk once."""
    for use in disks(cluster):
        found = (
            (use, machine, refusal)
            for machine in use.machines or (None,)
            for refusal in disk_refusals(_order(use, machine))
            if refusal.field == field and (not whys or refusal.why in whys)
        )
        yield from (first for first in [next(found, None)] if first)


def _order(use: DiskUse, machine: Machine | None) -> DiskOrder:
    disk = use.disk
    return DiskOrder(
        type=_type(use, machine),
        root=use.root,
        size_gib=disk.size.in_gib,
        iops=disk.iops,
        throughput=disk.throughput,
        machine=machine,
    )
