from collections.abc import Iterator
from typing import get_args

from hpc_components.catalog import OperatingSystem, operating_system, operating_systems
from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._systems import use_system
from hpc_components.spec.slurm import Slurm
from hpc_components.spec.slurm.packages import own_slurm
from hpc_components.spec.slurm.sources import source_of
from hpc_components.wording import any_of, did_you_mean


def usable_systems() -> list[OperatingSystem]:
    """Return the systems that remedies may propose."""
    return [system for system in operating_systems() if system.status in ("default", "supported")]


def is_accepted(system: OperatingSystem) -> bool:
    """Return whether nodes can be set up with the system, even if that has not been tested."""
    return system.status in ("default", "supported", "untested")


@rule("HPC-OSI-001", Level.ERROR)
def known_os(cluster: ClusterSpec) -> Iterator[Problem]:
    """The operating system must be supported, and must be spelled as in the catalogue.

    Source: the catalogue's operating systems.
    """
    system = operating_system(cluster.os)
    if system and (system.status == "retired" or (is_accepted(system) and system.name == cluster.os)):
        return
    names = [usable.name for usable in usable_systems()]
    if system is None:
        reason = f"{cluster.os!r} is not a known operating system"
        remedy = did_you_mean(cluster.os, names, f"use one of {', '.join(names)}", cutoff=0.7)
    elif system.status == "unsupported":
        reason = f"{system.title} is not supported{': ' if system.notes else ''}{system.notes}"
        remedy = f"use one of {', '.join(names)}"
    else:
        reason, remedy = f"{cluster.os!r} is another tool's name for {system.title}", f"write {system.name}"
    yield Problem(path=("os",), value=cluster.os, reason=reason, remedy=remedy)


@rule("HPC-OSI-002", Level.ERROR)
def living_os(cluster: ClusterSpec) -> Iterator[Problem]:
    """The operating system must still receive security fixes.

    After an operating system reaches its end of life, its packages disappear, and no new EFA, Lustre and GPU drivers
    are built for it. Source: the publishers' release cycles, as recorded in the catalogue.
    """
    system = operating_system(cluster.os)
    if system and system.status == "retired":
        family = system.name.split("-")[0].rstrip("0123456789")
        heirs = [usable.name for usable in usable_systems() if usable.name.startswith(family)]
        yield Problem(
            path=("os",),
            value=cluster.os,
            reason=f"{system.title} reached its end of life on {system.end_of_life}",
            remedy=f"use {any_of(dict.fromkeys([*heirs, usable_systems()[0].name]))}",
        )


@rule("HPC-OSI-003", Level.ERROR)
def slurm_of_os(cluster: ClusterSpec) -> Iterator[Problem]:
    """The Slurm release must be the one that the operating system includes, unless nodes get Slurm from elsewhere.

    Source: the operating systems' package archives.
    """
    system, wanted = operating_system(cluster.os), cluster.slurm.version
    if system is None or not is_accepted(system) or not cluster.slurm.of_system:
        return
    own = own_slurm(system.name)
    if own != wanted:
        brings = f"{system.title} includes Slurm {own}" if own else f"{system.title} has no Slurm packages"
        given = cluster.given("slurm") and cluster.slurm.given("version")
        schemes = any_of(f"{scheme}://" for scheme in (cloud_named(cluster.cloud).bucket_scheme, "https"))
        like = [usable.name for usable in usable_systems() if own_slurm(usable.name) == wanted]
        yield Problem(
            path=("slurm", "version") if given else ("os",),
            value=wanted if given else cluster.os,
            reason=f"{brings}, but the description requires release {wanted}",
            remedy=(
                f'use slurm.version: "{own}", or '
                if own in get_args(Slurm.model_fields["version"].annotation)
                else ""
            )
            + (f"use os: {any_of(like)}, or " if like else "")
            + ("set slurm.from_source: true, or " if source_of(wanted) else "")
            + f"set slurm.package_source to the {schemes} address of a package archive",
        )


@rule("HPC-OSI-026", Level.WARNING)
def tested_os(cluster: ClusterSpec) -> Iterator[Problem]:
    """Prefer an operating system that tests boot.

    For the others, a node's boot has steps, but no test ran them on a machine with that system. Start with a small
    cluster. Source: docs/systems.md, "Not proved".
    """
    system = operating_system(cluster.os)
    if system and system.status == "untested":
        yield Problem(
            path=("os",),
            value=cluster.os,
            reason=f"no test has booted a node with {system.title}",
            remedy="try it with a small cluster first, and silence this rule",
        )


@rule("HPC-OSI-027", Level.ERROR)
def parts_of_os(cluster: ClusterSpec) -> Iterator[Problem]:
    """On systems of Red Hat's family, people can't come from a directory.

    The head node asks a directory by python-ldap, which these systems have for their own Python only. The nodes'
    programs need a newer Python. Source: Red Hat Enterprise Linux 9, package python3-ldap; docs/systems.md.
    """
    system = operating_system(cluster.os)
    if system is None or system.family != "redhat":
        return
    if cluster.people is not None and cluster.people.directory is not None:
        yield Problem(
            path=("people", "directory"),
            reason=f"a head node with {system.title} can't ask a directory: the system's python-ldap is compiled for "
            f"its own Python, and the nodes' programs run by {system.python}",
            remedy=f"{use_system(cluster)}, or describe people in users",
        )
