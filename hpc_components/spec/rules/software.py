"""Software that users find by `module load`: what EasyBuild builds, and directories of modules."""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from hpc_components.catalog.mounts import is_mount_directory
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.settings import queue_value
from hpc_components.spec.software import BUILDER, EasyBuild
from hpc_components.wording import closest_word, did_you_mean

BUILT = ("software", "easybuild")

_EASYCONFIG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*\.eb")
_FILE = re.compile(r"[A-Za-z0-9_-]+(\.?[A-Za-z0-9_-]+)*")


def built(cluster: ClusterSpec) -> EasyBuild | None:
    return cluster.software.easybuild if cluster.software else None


def is_shared(cluster: ClusterSpec, directory: str) -> bool:
    """Return whether a directory is below the mount directory of a file system."""
    there = PurePosixPath(directory)
    return any(
        there.is_relative_to(store.mount) and str(there) != store.mount.rstrip("/")
        for store in cluster.storage.values()
    )


@rule("HPC-SFT-001", Level.ERROR)
def built_into_shared_directory(cluster: ClusterSpec) -> Iterator[Problem]:
    """EasyBuild must build into a directory below a shared file system.

    One node builds, and all nodes load the modules.
    """
    wanted = built(cluster)
    if wanted is None:
        return
    if not cluster.storage:
        yield Problem(
            path=BUILT,
            reason="the cluster has no shared file system into which the software could be built",
            remedy="add one, e.g. storage.home: {type: nfs, mount: /home, size: 1TiB}",
        )
    elif (directory := wanted.directory) is not None and not (
        is_mount_directory(directory) and is_shared(cluster, directory)
    ):
        proposed = next(iter(cluster.storage.values())).mount
        path = (*BUILT, "directory")
        yield Problem(
            path=path,
            value=directory,
            reason=f"{directory!r} is not a directory below a shared file system, so other nodes would not see what "
            "is built",
            fix=(Change(path, f"{proposed.rstrip('/')}/{BUILDER}"),),
        )


@rule("HPC-SFT-002", Level.ERROR)
def easyconfigs_named(cluster: ClusterSpec) -> Iterator[Problem]:
    """`install` must list file names of easyconfigs, each once; files must have names that nodes can fetch.

    An easyconfig's file name is `<name>-<version>[-<toolchain>][<suffix>].eb`. Source: docs.easybuild.io, Writing
    easyconfig files.
    """
    wanted = built(cluster)
    if wanted is None:
        return
    path = (*BUILT, "install")
    if not wanted.install:
        yield Problem(
            path=path, value=[], reason="nothing would be built", remedy="list an easyconfig: [zlib-1.3.1.eb]"
        )
    for index, name in enumerate(wanted.install):
        if not _EASYCONFIG.fullmatch(name):
            yield Problem(
                path=(*path, index),
                value=name,
                reason=f"{name!r} is not the file name of an easyconfig",
                remedy="write the name with its version and toolchain, and without a folder: zlib-1.3.1.eb",
            )
        elif name in wanted.install[:index]:
            yield Problem(
                path=(*path, index), value=name, reason=f"{name} is listed twice", remedy="remove one of the two"
            )
    for name in wanted.files:
        if not _FILE.fullmatch(name):
            yield Problem(
                path=(*BUILT, "files", name),
                value=name,
                reason=f"nodes can't fetch a file named {name!r}",
                remedy="use letters, digits, . _ and -, not two dots in a row, and no dot at the beginning",
            )


@rule("HPC-SFT-003", Level.ERROR)
def builders_exist(cluster: ClusterSpec) -> Iterator[Problem]:
    """`software.easybuild.queue` must be a queue of the cluster.

    Otherwise Slurm refuses the job: "invalid partition specified". Source: sbatch(1), --partition.
    """
    wanted = built(cluster)
    names = [queue.name for queue in cluster.queues]
    if wanted is not None and wanted.queue is not None and wanted.queue not in names:
        path = (*BUILT, "queue")
        yield Problem(
            path=path,
            value=wanted.queue,
            reason=f"there is no queue {wanted.queue!r}",
            fix=(Change(path, closest_word(wanted.queue, names) or names[0]),),
        )


@rule("HPC-SFT-004", Level.ERROR)
def builders_may_submit(cluster: ClusterSpec) -> Iterator[Problem]:
    """The build job's account must be described, and its queue must admit that account.

    Otherwise Slurm refuses the job: "Invalid account or account/partition combination". Source: slurm.conf(5),
    AccountingStorageEnforce and AllowAccounts.
    """
    wanted, accounting = built(cluster), cluster.slurm.accounting
    if wanted is None or accounting is None:
        return
    known = [*accounting.accounts, *cluster.organizations]
    if wanted.account is not None and wanted.account not in known:
        yield Problem(
            path=(*BUILT, "account"),
            value=wanted.account,
            reason=f"slurm.accounting.accounts does not describe {wanted.account!r}",
            remedy=did_you_mean(wanted.account, known, f"leave it out, so that the job uses the account {BUILDER}"),
        )
        return
    queue, account = cluster.build_queue or cluster.queues[0], wanted.account or BUILDER
    admitted = (queue_value(queue, "AllowAccounts") or "ALL").split(",")
    if known and account not in admitted and admitted != ["ALL"]:
        yield Problem(
            path=(*BUILT, "account"),
            value=wanted.account,
            reason=f"queue {queue.name} admits {', '.join(admitted)}, and the build job uses the account {account}",
            remedy=f"use account: {admitted[0]}, or another queue",
        )


@rule("HPC-SFT-005", Level.WARNING)
def builders_reach_the_internet(cluster: ClusterSpec) -> Iterator[Problem]:
    """Nodes that build software should reach the internet.

    The build job fetches EasyBuild, and EasyBuild fetches sources. Without internet, an administrator must put both
    into the directory: `downloads` and `sources`.
    """
    if built(cluster) is not None and cluster.network.cidr is not None and cluster.network.nat == "none":
        yield Problem(
            path=BUILT,
            reason="without NAT, nodes reach neither EasyBuild's packages nor the sources of software",
            remedy=f"use network.nat: one, or put the packages of EasyBuild into {cluster.build_directory}/downloads "
            f"and all sources into {cluster.build_directory}/sources, as docs/software.md says",
        )


@rule("HPC-SFT-006", Level.ERROR)
def modules_in_directories(cluster: ClusterSpec) -> Iterator[Problem]:
    """A directory of modules must be an absolute path without blanks.

    Shells and module files don't quote it. Source: module(1), MODULEPATH.
    """
    for index, directory in enumerate(cluster.software.modules if cluster.software else ()):
        if not is_mount_directory(directory):
            yield Problem(
                path=("software", "modules", index),
                value=directory,
                reason=f"{directory!r} is not an absolute path of letters, digits and . _ + -",
                remedy="write a directory, e.g. /home/modules",
            )


@rule("HPC-SFT-007", Level.WARNING)
def modules_shared(cluster: ClusterSpec) -> Iterator[Problem]:
    """A directory of modules should be in a shared file system.

    Elsewhere, it exists only where an image contains it. On other nodes, `module load` does not find its modules.
    """
    for index, directory in enumerate(cluster.software.modules if cluster.software else ()):
        if is_mount_directory(directory) and not is_shared(cluster, directory):
            mounts = ", ".join(store.mount for store in cluster.storage.values()) or "none"
            yield Problem(
                path=("software", "modules", index),
                value=directory,
                reason=f"{directory} is not below a shared file system (there are: {mounts}), so only nodes whose "
                "image contains it have its modules",
                remedy="move the modules into a shared file system",
            )
