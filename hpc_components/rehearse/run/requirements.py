"""Checks before a rehearsal what this machine lacks, and which settings its Slurm does not support."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hpc_components.rehearse.cluster.setup import Setup
from hpc_components.rehearse.run.job import Job
from hpc_components.slurm import RELEASES
from hpc_components.spec.findings import dotted
from hpc_components.spec.slurm.settings import settings_of

NODE_MEMORY_MIB = 150
"""Approximate memory that a host with slurmd and its step daemons needs, in MiB."""

RANK_MEMORY_MIB = 12
"""Memory that a rank of the reference job needs, in MiB (384 ranks: 4.5 GB)."""

HEAD_MEMORY_MIB = 600
"""Memory that the head node with MariaDB needs, in MiB."""

_PROGRAMS = {
    "slurmctld": "slurmctld",
    "slurmd": "slurmd",
    "sbatch": "slurm-client",
    "munged": "munge",
    "mpirun": "openmpi-bin",
    "ip": "iproute2",
    "dnsmasq": "dnsmasq-base",
    "setpriv": "util-linux",
    "runuser": "util-linux",
}
"""Maps programs to the Debian packages that contain them."""

_ACCOUNTING_PROGRAMS = {"slurmdbd": "slurmdbd", "mariadbd": "mariadb-server"}

_FILES = {
    "usr/lib/*/slurm-wlm/select_cons_tres.so": "slurm-wlm-basic-plugins",
    "usr/lib/*/slurm-wlm/auth_jwt.so": "slurm-wlm-jwt-plugin",
    "usr/lib/python3/dist-packages/mpi4py": "python3-mpi4py",
    "usr/share/modules/init/bash": "environment-modules",
}
"""Maps files to the Debian packages that contain them."""

_ACCOUNTING_FILES = {"usr/lib/*/slurm-wlm/accounting_storage_mysql.so": "slurm-wlm-mysql-plugin"}


_MAKEFILE = Path(__file__).parents[3] / "Makefile"
"""The repository's Makefile, which exists in a checkout but not in an installed package."""

_LISTS = {"JobSubmitPlugins": "job_submit", "CliFilterPlugins": "cli_filter"}
"""Maps keys whose values are plugin names without a kind to the kind of plugin."""


@dataclass(frozen=True, kw_only=True)
class Missing:
    """Something that a rehearsal needs and this machine lacks."""

    what: str
    """What is missing."""
    remedy: str
    """How to get it."""

    def __str__(self) -> str:
        """Return one line for users."""
        return f"{self.what}; {self.remedy}"


def missing(*, root: Path = Path("/"), accounting: bool = True) -> tuple[Missing, ...]:
    """Return what this machine, or the root file system `root`, lacks for any rehearsal."""
    if not Path("/proc/self/ns").exists():
        return (Missing(what="this is not Linux", remedy="rehearse on a Linux machine, virtual ones included"),)
    found = [*_packages(root, accounting)]
    if os.geteuid() != 0:
        again = shlex.join([str(Path(sys.argv[0]).resolve()), *sys.argv[1:]])  # a full path, because sudo resets PATH
        return (*found, Missing(what="root privileges are missing", remedy=f"run it as root: sudo {again}"))
    return (*found, *_kernel(root))


def obstacles(setup: Setup, job: Job) -> tuple[str, ...]:
    """Return the reasons why this description and job can't be rehearsed here, each with a remedy.

    The result is empty if they can.
    """
    unread = tuple(_keys(setup)) or _syntax(setup)
    return (*_memory(setup, job), *_plugins(setup), *_scripts(setup), *unread)


def _packages(root: Path, accounting: bool) -> Iterator[Missing]:
    programs = _PROGRAMS | (_ACCOUNTING_PROGRAMS if accounting else {})
    files = _FILES | (_ACCOUNTING_FILES if accounting else {})
    packages = [package for program, package in programs.items() if not _has_program(root, program)]
    packages += [package for pattern, package in files.items() if not any(root.glob(pattern))]
    if not _has_pmix(root):
        packages.append("libpmix-dev")
    if packages:
        names = " ".join(dict.fromkeys(packages))
        sudo = "" if os.geteuid() == 0 else "sudo "
        line = f"{sudo}apt-get update && {sudo}apt-get install --no-install-recommends {names}"
        remedy = f"make rehearse installs them, or: {line}" if _MAKEFILE.is_file() else f"install them with: {line}"
        yield Missing(what=f"Debian packages are missing: {names}", remedy=remedy)


def _has_program(root: Path, name: str) -> bool:
    return any((root / directory / name).exists() for directory in ("usr/bin", "usr/sbin", "bin", "sbin"))


def _has_pmix(root: Path) -> bool:
    """Return whether Slurm's PMIx plugin can find its library.

    The plugin in Debian 12 loads `libpmix.so`, a symbolic link that only the package libpmix-dev contains.
    """
    plugins = [*root.glob("usr/lib/*/slurm-wlm/mpi_pmix.so")]
    return all(b"libpmix.so\0" not in each.read_bytes() for each in plugins) or any(root.glob("usr/lib/*/libpmix.so"))


def _kernel(root: Path) -> Iterator[Missing]:
    """Test the kernel features that hosts need, in short-lived namespaces."""
    trials = {
        "namespaces (mount, UTS, IPC, network, PID, time)": "true",
        "a bridge and virtual network cards": "ip link add br0 type bridge && ip link add eth1 type veth",
        "an overlay file system": "mount -t tmpfs t /mnt && mkdir /mnt/u /mnt/w /mnt/r && "
        f"mount -t overlay -o lowerdir='{root}',upperdir=/mnt/u,workdir=/mnt/w o /mnt/r",
        "creating device files": "mount -t tmpfs t /mnt && mknod /mnt/null c 1 3 && : >/mnt/null",
    }
    for what, trial in trials.items():
        tried = subprocess.run(
            ["unshare", "-m", "-u", "-i", "-n", "-p", "-T", "--fork", "sh", "-c", trial],
            capture_output=True,
            text=True,
        )
        if tried.returncode:
            words = tried.stderr.strip().replace("\n", "; ")
            remedy = "in a container, give it all privileges (docker run --privileged), or use a virtual machine"
            yield Missing(what=f"the kernel does not allow {what}: {words}", remedy=remedy)


def _memory(setup: Setup, job: Job) -> Iterator[str]:
    always_up = sum(queue.min for queue in setup.cluster.queues)
    nodes, ranks = (job.scale.nodes, job.scale.ranks) if job.scale else (0, 0)
    needed = HEAD_MEMORY_MIB + (nodes + always_up) * NODE_MEMORY_MIB + ranks * RANK_MEMORY_MIB
    free = _available_memory()
    if needed > free:
        of_them = f", {always_up} of them always up" if always_up else ""
        yield (
            f"{nodes + always_up} nodes{of_them}, with {ranks} ranks need about {needed} MiB, but only {free} MiB "
            "are free; rehearse fewer nodes (--nodes), or on a larger machine"
        )


def _plugins(setup: Setup) -> Iterator[str]:
    """Yield plugins in slurm.conf that this machine lacks.

    For example, `select/cons_tres` is in `select_cons_tres.so`.
    """
    for line in setup.files["slurm.conf"].splitlines():
        key, _, value = line.partition("=")
        found = re.findall(r"(?:^|,)([a-z_]+)/([a-z_0-9]+)(?=,|$)", value) if key.isalpha() else []
        if kind := _LISTS.get(key):
            found += [(kind, name) for name in value.split(",") if "/" not in name]
        for kind, name in found:
            if not any(setup.root.glob(f"usr/lib/*/slurm*/{kind}_{name}.so")):
                yield (
                    f"{line}: Slurm {setup.release} here has no plugin {kind}/{name}; "
                    "remove it from slurm.settings, or install the package that contains it"
                )


def _scripts(setup: Setup) -> Iterator[str]:
    """Yield the user's own programs that Slurm would run and that do not exist here."""
    for line in setup.files["slurm.conf"].splitlines():
        key, _, path = line.partition("=")
        own = re.fullmatch(r"\w*(?:Prolog|Epilog|Program)(?:Slurmctld)?", key) and not path.startswith("/opt/hpc/")
        if own and path.startswith("/") and not (setup.root / path[1:]).exists():
            yield f"{line}: this file does not exist here; create it, or remove the setting from slurm.settings"


def _keys(setup: Setup) -> Iterator[str]:
    """Yield settings that the release on this machine does not support, although the described release may."""
    here, cluster = ".".join(setup.release.split(".")[:2]), setup.cluster
    wanted = cluster.slurm.version
    if here == wanted or here not in RELEASES:
        return
    for setting in settings_of(cluster):
        if setting.known is not None and setting.type(here) in (None, "removed"):
            yield (
                f"{dotted(setting.path)}: the description is for Slurm {wanted}, but this machine has "
                f"{setup.release}, which does not know this setting; rehearse it on a machine with Slurm "
                f"{wanted}, or remove it for the rehearsal"
            )


def _syntax(setup: Setup) -> Iterator[str]:
    """Yield what Slurm's own parser reports about slurm.conf, without starting a daemon."""
    read = f"mount -t tmpfs t '{setup.root}/mnt' && cat >'{setup.root}/mnt/slurm.conf' && " + (
        f"SLURM_CONF=/mnt/slurm.conf chroot '{setup.root}' scontrol show hostnames a"
    )
    parsed = subprocess.run(
        ["unshare", "-m", "sh", "-c", read], input=setup.files["slurm.conf"], capture_output=True, text=True
    )
    errors = [line.partition("error: ")[2] for line in parsed.stderr.splitlines() if "error: " in line]
    if parsed.returncode:
        words = "; ".join(errors) or parsed.stderr.strip()
        yield (
            f"Slurm {setup.release} here can't read slurm.conf: {words}; "
            "remove it from slurm.settings, or from a queue's slurm"
        )


def _available_memory() -> int:
    """Return the memory available to programs, in MiB (proc(5), meminfo)."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
    return int(found[1]) // 1024 if found else 0
