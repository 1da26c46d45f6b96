"""Real Slurm daemons on generated files, on a head node that is made for one script."""

import os
import re
import secrets
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path

import pytest

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.rehearse.cluster import daemons
from hpc_components.rehearse.hosts.host import CommandError, Host, Site
from hpc_components.slurm import slurm_files
from hpc_components.spec.addresses import head_address
from tests.namespaces import namespaces

RELEASES = {"22.05": Path("/"), "24.11": Path(__file__).parents[2] / "build/rfs/trixie-slurm"}
"""Root file systems by the release of Slurm in them."""

if "HPC_SLURM_25_11" in os.environ:  # no system of the tests has packages of it
    RELEASES["25.11"] = Path(os.environ["HPC_SLURM_25_11"])

WORDS = """
as() { local user=$1; shift; setpriv --reuid="$user" --regid="$user" --init-groups "$@"; }
wait_for() { for _ in $(seq 1200); do "$@" >/dev/null 2>&1 && return; sleep 0.1; done; echo "never: $*" >&2; exit 3; }
export -f as wait_for
"""
"""What scripts may use."""

PROGRAMS = ("hpc-resume", "hpc-suspend", "hpc-resume-fail", "hpc-prolog")

FORGET = "drop database if exists slurm_acct_db; drop user if exists slurm@localhost;"


@dataclass(frozen=True)
class Outcome:
    """What a script on the head node wrote, and the daemons' logs by file name."""

    output: str
    logs: Mapping[str, str]

    @property
    def errors(self) -> list[str]:
        """All lines of all logs that tell of an error."""
        lines = (f"{name}: {line}" for name, log in self.logs.items() for line in log.splitlines())
        return [line for line in lines if re.search(r"\b(error|fatal):", line)]


def skip_without(version: str) -> None:
    """Skip the test where this machine can't run the daemons of a release, and say what is missing."""
    root = RELEASES[version]
    if os.geteuid() != 0:
        pytest.skip("needs root for namespaces")
    if not (root / "usr/sbin/slurmctld").exists():
        pytest.skip(f"needs Slurm {version} in {root}: `make system` puts it there")
    shown = subprocess.run(["chroot", str(root), "/usr/sbin/slurmctld", "-V"], capture_output=True, text=True)
    if not re.match(rf"slurm(-wlm)? {version}\.", shown.stdout):
        pytest.skip(f"needs Slurm {version} in {root}, which has {shown.stdout.strip() or 'none'}")


class Release:
    """A release of Slurm, and a site for head nodes with a database server that all of them use in turn."""

    def __init__(self, version: str, inside: int) -> None:
        self.version = version
        self._site = Site(network=IPv4Network("10.0.0.0/8"), lower=RELEASES[version], cgroup="", inside=inside)
        self._site.open()
        self._binds = {"/run/mysqld": self._site.directory("mysqld")}
        self._logs = self._site.seen(self._site.directory("logs"))
        self._database = self._site.boot("database", self._site.network[-2], binds=self._binds)
        daemons.start_mariadb(self._database, "/var/lib/hpc/mysql", self._logs)

    def run(self, described: AwsClusterSpec, script: str, more: Mapping[str, str] | None = None) -> Outcome:
        """Start the daemons on the generated files, run `script` (bash, as root), stop them all.

        `more` are files beside those of Slurm.
        """
        files = {**slurm_files(described, version=self.version), **(more or {})}
        head = self._boot(head_address(described))
        try:
            self._start(head, files)
            output = head.run("env", "LC_ALL=C.UTF-8", "bash", "-uo", "pipefail", "-c", WORDS + script, timeout=400)
        except CommandError as error:
            raise AssertionError(f"{error}\n{_logs(head)}") from None
        else:
            return Outcome(output, _logs(head))
        finally:
            head.kill()

    def close(self) -> None:
        """Stop the database server."""
        self._database.kill()

    def _boot(self, address: IPv4Address) -> Host:
        head = self._site.boot("head", address, binds=self._binds)
        head.run("sed", "-i", "s/^hosts:.*/hosts: files/", "/etc/nsswitch.conf")  # what is in no file is nowhere
        # slurmdbd 22.05 writes a message in two parts: the second waits 40 ms until the first is acknowledged
        head.run("ip", "route", "replace", "local", str(address), "dev", "eth0", "table", "local", "quickack", "1")
        return head

    def _start(self, head: Host, files: Mapping[str, str]) -> None:
        daemons.start_munge(head, secrets.token_bytes(128))
        daemons.write_configuration(head, files)
        for name in filter(
            lambda each: each.startswith("hpc-job-"), files
        ):  # slurmd makes them so when it fetches them
            head.run("chmod", "755", f"/etc/slurm/{name}")
        head.run("rmdir", "/var/lib/hpc/elastic")  # that daemon does not run here
        head.write("/etc/slurm/jwt_hs256.key", secrets.token_bytes(32), owner="slurm", mode=0o600)
        for name in PROGRAMS:
            head.write(f"/opt/hpc/bin/{name}", f"#!/bin/sh\necho {name} $1 >>/tmp/calls\n", mode=0o755)
        if accounting := "slurmdbd.conf" in files:
            head.run("mariadb", text=FORGET)
            daemons.start_slurmdbd(head, self._logs)
            head.run("bash", "/etc/slurm/sacctmgr.sh", "before-slurmctld")
        daemons.start_controller(head, self._logs)
        if accounting:
            head.run("bash", "/etc/slurm/sacctmgr.sh", "after-slurmctld")


def _logs(head: Host) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted((head.root / "var/log/slurm").glob("*.log"))}


@contextmanager
def opened(version: str) -> Iterator[Release]:
    """The site for a release of Slurm; the test is skipped where this machine can't have it."""
    skip_without(version)
    with namespaces() as inside:
        site = Release(version, inside)
        yield site
        site.close()
