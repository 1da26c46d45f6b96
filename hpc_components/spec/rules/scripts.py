import re
from collections.abc import Iterator

from hpc_components.cloud import cloud_named
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.scripts import Script, at_boot, of_jobs
from hpc_components.wording import any_of, did_you_mean

_NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
MAX_BYTES = 64 * 1024
"""Size of a script up to which slurmctld certainly passes it on, and a preview shows its changes."""
_TOO_OLD = ("22.05",)
"""Releases of Slurm whose nodes don't fetch prolog and epilog from slurmctld. Source: Slurm's source,
src/common/fetch_config.c of 22.05.8 and 23.11.0."""


@rule("HPC-SCR-001", Level.ERROR)
def script_names(cluster: ClusterSpec) -> Iterator[Problem]:
    """The name of a script must have at most 32 lower-case letters, digits and hyphens, and begin with a letter.

    It becomes the name of a file, and nodes name the script by it in their logs.
    """
    for name in cluster.scripts:
        if not _NAME.fullmatch(name):
            yield Problem(
                path=("scripts", name),
                reason=f"{name!r} is not a valid name of a script",
                remedy="use at most 32 lower-case letters, digits and hyphens, beginning with a letter",
            )


@rule("HPC-SCR-002", Level.ERROR)
def one_source(cluster: ClusterSpec) -> Iterator[Problem]:
    """A script has exactly one of `file`, `text` and `address`; an address is `https` or in a bucket, with a sum.

    Nodes run as root what an address gives them, so they must know beforehand what that is.
    """
    bucket = cloud_named(cluster.cloud).bucket_scheme
    for name, script in cluster.scripts.items():
        path: Path = ("scripts", name)
        given = [key for key in ("file", "text", "address") if getattr(script, key) is not None]
        if len(given) != 1:
            reason = f"{' and '.join(given)} are both set" if given else "nothing says what to run"
            yield Problem(path=path, reason=reason, remedy="set one of file, text and address")
        elif script.address is None:
            if script.sha256 is not None:
                reason = "only scripts with an address have a checksum: the description itself has the other ones"
                yield Problem(path=(*path, "sha256"), reason=reason, remedy="remove it")
        elif not re.fullmatch(rf"(https://|{bucket}://[^\s'\"/]+/)[^\s'\"]+", script.address):
            schemes = any_of(dict.fromkeys(f"{scheme}://..." for scheme in ("https", bucket)))
            reason = "nodes fetch scripts only from https addresses and from objects in buckets"
            remedy = f"write {schemes}, or add the script to the repository and name it under file"
            yield Problem(path=(*path, "address"), value=script.address, reason=reason, remedy=remedy)
        elif not re.fullmatch("[0-9a-f]{64}", script.sha256 or ""):
            web = script.address.startswith("https://")
            reason = "sha256 must have 64 lower-case hexadecimal digits" if script.sha256 else "it has no sha256"
            fetched = f"`curl {script.address} | sha256sum`" if web else "`sha256sum` of the script"
            yield Problem(path=path, reason=reason, remedy=f"add what {fetched} prints")


@rule("HPC-SCR-003", Level.ERROR)
def can_be_run(cluster: ClusterSpec) -> Iterator[Problem]:
    """A script must begin with `#!` and an interpreter, have Unix line ends, and be at most 64 KiB long.

    Linux looks for an interpreter whose name ends with the carriage return of a Windows line end. Source: execve(2).
    """
    for name, script in cluster.scripts.items():
        if script.text is None:
            continue
        first, _, _ = script.text.partition("\n")
        if wrong := _unusable(first, len(script.text.encode())):
            reason, remedy = wrong
            yield Problem(path=("scripts", name), reason=reason, remedy=remedy)


def _unusable(first: str, size: int) -> tuple[str, str] | None:
    if first.endswith("\r"):
        return "its lines end as on Windows, and no interpreter has that name", "save it with Unix line ends"
    if not re.match(r"#! ?/\S", first):
        return f"it begins with {first[:40]!r}, which names no interpreter", "begin it with #!/bin/bash"
    if size > MAX_BYTES:
        return f"it has {size:,} bytes, and the maximum is {MAX_BYTES:,}", "let it fetch what is large"
    return None


@rule("HPC-SCR-004", Level.ERROR)
def nodes_exist(cluster: ClusterSpec) -> Iterator[Problem]:
    """`on` must name `head`, `login` or queues of the cluster; with `at: image`, recipes; for jobs, queues only.

    A misspelt name would mean that the script silently never runs there.
    """
    queues = [queue.name for queue in cluster.queues]
    for name, script in cluster.scripts.items():
        if script.at == "image" and not cluster.images:
            reason, remedy = "the cluster has no recipes of images", "describe one in images, or use at: boot"
            yield Problem(path=("scripts", name, "at"), value=script.at, reason=reason, remedy=remedy)
            continue
        known = list(cluster.images) if script.at == "image" else [*_head_and_login(cluster, script), *queues]
        for number, group in enumerate(script.on):
            if group not in known:
                reason = f"this script can't run on {group!r}"
                remedy = did_you_mean(group, known, f"use {any_of(known)}")
                path = ("scripts", name, "on", number)
                yield Problem(path=path, value=group, reason=reason, remedy=remedy)


def _head_and_login(cluster: ClusterSpec, script: Script) -> tuple[str, ...]:
    if script.at != "boot":
        return ()
    return ("head", "login") if cluster.login_nodes else ("head",)


@rule("HPC-SCR-005", Level.ERROR)
def slurm_passes_it_on(cluster: ClusterSpec) -> Iterator[Problem]:
    """Scripts of jobs need Slurm 23.11 or newer, and their text in the description.

    slurmctld hands prolog and epilog to all nodes together with slurm.conf, so that running nodes follow a change.
    Slurm 22.05 doesn't: a node without the file would be drained by its next job. Source: Slurm's source,
    src/common/fetch_config.c and src/plugins/prep/script/prep_script_slurmd.c.
    """
    for name, script in of_jobs(cluster.scripts).items():
        if cluster.slurm.version in _TOO_OLD:
            yield Problem(
                path=("scripts", name, "at"),
                value=script.at,
                reason=f"nodes with Slurm {cluster.slurm.version} don't get it from slurmctld",
                remedy="use slurm.version 23.11 or newer, or TaskProlog under slurm.settings",
            )
        elif script.address is not None:
            yield Problem(
                path=("scripts", name, "address"),
                reason="Slurm passes on only what the description contains",
                remedy="add the script to the repository, and name it under file",
            )


@rule("HPC-SCR-006", Level.WARNING)
def boots_in_time(cluster: ClusterSpec) -> Iterator[Problem]:
    """All scripts of a queue's nodes at boot together should take less than `slurm.boot_time`.

    Slurm gives up on a node that has not registered within three times this period, and the node is replaced.
    """
    expected = cluster.slurm.boot_time
    for index, queue in enumerate(cluster.queues):
        scripts = at_boot(cluster.scripts, queue.name)
        limit = sum(script.time_limit.seconds for script in scripts.values())
        if limit > expected.seconds:
            yield Problem(
                path=("queues", index, "name"),
                value=queue.name,
                reason=f"its nodes may spend {limit} s on {' and '.join(scripts)}, and are expected after {expected}",
                remedy="shorten their time_limit, or set slurm.boot_time to a longer time",
                places=tuple(("scripts", name, "time_limit") for name in scripts),
            )


@rule("HPC-SCR-007", Level.WARNING)
def scripts_readable(cluster: ClusterSpec) -> Iterator[Problem]:
    """Nodes must be allowed to read the buckets from which they fetch scripts at boot.

    The buckets are yours, and the cluster doesn't change who may read them. A compute node that may not read its
    script does not join.
    """
    scheme = cloud_named(cluster.cloud).bucket_scheme
    if scheme == "https":  # the cloud's own rule knows which addresses are buckets
        return
    for name, script in cluster.scripts.items():
        if script.at == "boot" and script.address is not None and script.address.startswith(f"{scheme}://"):
            yield Problem(
                path=("scripts", name, "address"),
                value=script.address,
                reason="the stack doesn't allow nodes to read this object",
                remedy="allow the identities of the nodes that run the script to read it",
            )
