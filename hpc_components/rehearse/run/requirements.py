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
"""Approximate memory for a host that runs slurmd and its step daemons, in MiB."""

RANK_MEMORY_MIB = 12
"""Memory per rank of the reference job, in MiB (384 ranks: 4.5 GB)."""

HEAD_MEMORY_MIB = 600

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

_ACCOUNTING_FILES = {"usr/lib/*/slurm-wlm/accounting_storage_mysql.so": "slurm-wlm-mysql-plugin"}


_MAKEFILE = Path(__file__).parents[3] / "Makefile"
"""The repository's Makefile. It exists in a checkout, but not in an installed package."""

_LISTS = {"JobSubmitPlugins": "job_submit", "CliFilterPlugins": "cli_filter"}
"""Maps settings whose values are bare plugin names to the kind of plugin."""


@dataclass(frozen=True, kw_only=True)
class Missing:
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.what}; {self.remedy}"


def missing(*, root: Path = Path("/"), accounting: bool = True) -> tuple[Missing, ...]:
    """Return everything that a rehearsal needs but that is missing on this machine or in the root file system
    `root`.
    """
    if not Path("/proc/self/ns").exists():
        return (
            Missing(what="this machine doesn't run Linux", remedy="rehearse on a Linux machine, physical or virtual"),
        )
    found = [*_packages(root, accounting)]
    if os.geteuid() != 0:
        again = shlex.join([str(Path(sys.argv[0]).resolve()), *sys.argv[1:]])  # a full path, because sudo resets PATH
        return (*found, Missing(what="root privileges are missing", remedy=f"run the command as root: sudo {again}"))
    return (*found, *_kernel(root))


def obstacles(setup: Setup, job: Job) -> tuple[str, ...]:
    """Return each reason why this cluster or job can't be rehearsed here, with a remedy."""
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
        remedy = (
            f"run make rehearse to install them, or: {line}" if _MAKEFILE.is_file() else f"install them with: {line}"
        )
        yield Missing(what=f"Debian packages are missing: {names}", remedy=remedy)


def _has_program(root: Path, name: str) -> bool:
    return any((root / directory / name).exists() for directory in ("usr/bin", "usr/sbin", "bin", "sbin"))


def _has_pmix(root: Path) -> bool:
    """Return whether Slurm's PMIx plugin can find its library.

    On Debian 12, the plugin loads `libpmix.so`, a symbolic link that only the libpmix-dev package contains.
    """
    plugins = [*root.glob("usr/lib/*/slurm-wlm/mpi_pmix.so")]
    return all(b"libpmix.so\0" not in each.read_bytes() for each in plugins) or any(root.glob("usr/lib/*/libpmix.so"))


def _kernel(root: Path) -> Iterator[Missing]:
    """Yield the kernel features that hosts need but this machine lacks. Each feature is tried in short-lived
    namespaces.
    """
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
            remedy = "run the container with all privileges (docker run --privileged), or use a virtual machine"
            yield Missing(what=f"the kernel does not allow {what}: {words}", remedy=remedy)


def _memory(setup: Setup, job: Job) -> Iterator[str]:
    always_up = sum(queue.min for queue in setup.cluster.queues)
    nodes, ranks = (job.scale.nodes, job.scale.ranks) if job.scale else (0, 0)
    needed = HEAD_MEMORY_MIB + (nodes + always_up) * NODE_MEMORY_MIB + ranks * RANK_MEMORY_MIB
    free = _available_memory()
    if needed > free:
        of_them = f" ({always_up} of them always up)" if always_up else ""
        yield (
            f"{ranks} ranks on {nodes + always_up} nodes{of_them} need about {needed} MiB of memory, but only "
            f"{free} MiB are free; use fewer nodes (--nodes) or a larger machine"
        )


def _plugins(setup: Setup) -> Iterator[str]:
    """Yield an obstacle for each plugin in slurm.conf that this machine lacks.

    For example, `select/cons_tres` requires `select_cons_tres.so`.
    """
    for line in setup.files["slurm.conf"].splitlines():
        key, _, value = line.partition("=")
        found = re.findall(r"(?:^|,)([a-z_]+)/([a-z_0-9]+)(?=,|$)", value) if key.isalpha() else []
        if kind := _LISTS.get(key):
            found += [(kind, name) for name in value.split(",") if "/" not in name]
        for kind, name in found:
            if not any(setup.root.glob(f"usr/lib/*/slurm*/{kind}_{name}.so")):
                yield (
                    f"{line}: Slurm {setup.release} on this machine has no plugin {kind}/{name}; install the "
                    "package that contains the plugin, or remove the setting from slurm.settings"
                )


def _scripts(setup: Setup) -> Iterator[str]:
    """Yield an obstacle for each user program that slurm.conf specifies but this machine lacks."""
    for line in setup.files["slurm.conf"].splitlines():
        key, _, path = line.partition("=")
        own = re.fullmatch(r"\w*(?:Prolog|Epilog|Program)(?:Slurmctld)?", key) and not path.startswith("/opt/hpc/")
        if own and path.startswith("/") and not (setup.root / path[1:]).exists():
            yield (
                f"{line}: this file doesn't exist on this machine; create the file, or remove the setting from "
                "slurm.settings"
            )


def _keys(setup: Setup) -> Iterator[str]:
    """Yield an obstacle for each setting that this machine's Slurm release doesn't support, even if the release in
    the description does.
    """
    here, cluster = ".".join(setup.release.split(".")[:2]), setup.cluster
    wanted = cluster.slurm.version
    if here == wanted or here not in RELEASES:
        return
    for setting in settings_of(cluster):
        if setting.known is not None and setting.type(here) in (None, "removed"):
            yield (
                f"{dotted(setting.path)}: the description is for Slurm {wanted}, but this machine has "
                f"{setup.release}, which doesn't support this setting; rehearse on a machine with Slurm "
                f"{wanted}, or remove the setting for the rehearsal"
            )


def _syntax(setup: Setup) -> Iterator[str]:
    """Yield the errors that Slurm's own parser reports for slurm.conf, without starting a daemon."""
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
            f"Slurm {setup.release} on this machine can't read slurm.conf: {words}; remove the setting from "
            "slurm.settings, or from the slurm key of a queue"
        )


def _available_memory() -> int:
    """Return the available memory in MiB (proc(5), meminfo)."""
    found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(), re.M)
    return int(found[1]) // 1024 if found else 0
