"""An image is really made, by its bundle, on a machine that has nothing of ours; then a cluster boots from it, where
no package can be fetched."""

import hashlib
import json
import os
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from hpc_components.aws.spec.cluster import AwsClusterSpec
from hpc_components.images.bundle import bundle

from .cluster import Cluster, booted, spec
from .conftest import RFS
from .job import JOB, RENDEZVOUS
from .lab import Machine, missing, wait_for
from .lab_cluster import configuration, services, wait_ready
from .looking import jobs

pytestmark = [pytest.mark.boot, pytest.mark.slow]

BASE, ARCHIVE = RFS / "trixie", RFS / "archive"

BEFORE = """
set -eu
echo 'deb [trusted=yes] file:/srv/packages ./' >/etc/apt/sources.list
mkdir -p /etc/munge /root/.ssh /home/alice/.ssh /var/log/journal /opt/hpc/config/common
echo {key} >/etc/munge/munge.key
echo 'ssh-ed25519 {key} admin' | tee /root/.ssh/authorized_keys >/home/alice/.ssh/authorized_keys
echo {key} >/var/lib/systemd/random-seed # in a container, systemd keeps none
echo 'export TOKEN={key}' >/root/.bash_history
echo 'HPC_CONFIG={bucket}' >/opt/hpc/config/common/cluster.env
echo i-0123 >/opt/hpc/instance
echo ip-10-90-0-44 >/etc/hostname
systemctl restart systemd-journald
journalctl --flush
logger 'the bucket is {bucket}'
echo '{bucket} at 10.90.0.44' | tee /var/log/syslog >/var/log/syslog.1
"""
"""What somebody has left on the machine, on which an image is made of a node."""

KEY = "c2VjcmV0LW9mLXRoZS1idWlsZC1tYWNoaW5l"

RECORDER = """#!/bin/sh
echo "$0 $*" >>/var/log/fetched
exit 1
"""


@dataclass(frozen=True)
class Baked:
    """The image."""

    layer: Path
    """What the bake has changed on the machine, as we see it."""
    secrets: tuple[str, ...]
    """What was the machine's own."""
    output: str


def described() -> AwsClusterSpec:
    nodes = {"machine": "m7i.large", "image": "all"}
    queue = {"name": "debug", "machine": "c7i.xlarge", "max": 4, "smt": False, "image": "all"}
    return spec(images={"all": {}}, head_node=nodes, login_nodes=nodes, queues=[queue])


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    if lack := missing(BASE, ARCHIVE):
        pytest.skip(lack)
    with booted((ARCHIVE, BASE), spec()) as cluster:
        cluster.publish(configuration(described()))
        (cluster.lab.files / "shared").chmod(0o777)
        (cluster.lab.files / "shared" / "job.sh").write_text(JOB)
        (cluster.lab.files / "shared" / "rendezvous.py").write_text(RENDEZVOUS)
        yield cluster


@pytest.fixture(scope="module")
def baked(cluster: Cluster) -> Baked:
    lab = cluster.lab
    surroundings, lab.environment = lab.environment, {}  # a machine that makes an image knows nothing of the cluster
    machine = lab.boot(cluster.near(44), "", id="i-bake")
    wait_for(lambda: machine.seen("/run/cloud-init/result.json").exists(), "it has booted")
    machine.run("sh", "-c", BEFORE.format(key=KEY, bucket=cluster.config))
    keys = machine.run("sh", "-c", "cat /etc/ssh/ssh_host_*_key | grep -v -e ----- | head -n 2").split()
    secrets = (KEY, machine.run("cat", "/etc/machine-id").strip(), *keys)
    machine.seen("/root/bundle.sh").write_text(bundle(described(), "all"))
    output = machine.run("bash", "/root/bundle.sh", "bake", timeout=400)
    machine.seen("/root/bundle.sh").unlink()
    machine.halt()
    at = Path("machines", machine.root.parent.name, "upper")
    upper = lab.files / at
    for program in ("apt-get", "apt"):
        (upper / "usr/bin" / program).unlink(missing_ok=True)
        (upper / "usr/bin" / program).write_text(RECORDER)
        (upper / "usr/bin" / program).chmod(0o755)
    lab.lower, lab.sealed, lab.environment = (Path("/mnt") / at, BASE), True, surroundings
    return Baked(upper, secrets, output)


@pytest.fixture(scope="module")
def tested(cluster: Cluster, baked: Baked) -> str:
    """What the test of the image says, on a machine that boots from it."""
    machine = cluster.lab.boot(cluster.near(45), "", id="i-test")
    wait_for(lambda: machine.seen("/run/cloud-init/result.json").exists(), "it has booted")
    machine.seen("/root/bundle.sh").write_text(bundle(described(), "all"))
    said = machine.run("bash", "/root/bundle.sh", "test", check=False)
    machine.kill()
    return said


@pytest.fixture(scope="module")
def head(cluster: Cluster, baked: Baked) -> Machine:
    machine = cluster.boot_head()
    wait_ready(machine)
    return machine


@pytest.fixture(scope="module")
def login(cluster: Cluster, head: Machine) -> Machine:
    machine = cluster.boot_login()
    wait_ready(machine)
    return machine


@pytest.fixture(scope="module")
def nodes(cluster: Cluster, head: Machine) -> list[Machine]:
    """Two nodes, for a job."""
    head.run("sbatch", "/shared/job.sh", user="alice")
    machines = wait_for(lambda: list(cluster.nodes.values())[:2] if len(cluster.nodes) >= 2 else [], "two machines")
    for machine in machines:
        wait_ready(machine)
    return machines


def test_a_bake_describes_its_image(baked: Baked) -> None:
    assert baked.output.splitlines()[-1] == "hpc-image: bake succeeded"
    about = json.loads((baked.layer / "opt/hpc/image.json").read_text())
    assert (about["recipe"], about["os"], about["slurm"]) == ("all", "debian-13", "24.11")
    assert about["roles"] == ["head", "login", "compute"]
    assert about["version"] == hashlib.sha256(bundle(described(), "all").encode()).hexdigest()[:12]
    assert "packages" in about["steps"]


def test_what_was_the_machine_s_own_is_not_in_the_image(cluster: Cluster, baked: Baked) -> None:
    own = [*baked.secrets, cluster.config, "10.90.0.", "ip-10-90-0-44"]
    patterns = [word for each in own for word in ("-e", each)]
    found = subprocess.run(
        ["grep", "-rlaF", *patterns, str(baked.layer)], capture_output=True, text=True, check=False
    )
    left = {str(Path(path).relative_to(baked.layer)) for path in found.stdout.splitlines()}
    assert left <= {"etc/resolv.conf"}, "the machine needs its name server until it is off"
    passwd = (baked.layer / "etc/passwd").read_text()
    assert "\nslurm:x:64030:" in passwd
    assert "\nmunge:x:402:" in passwd
    assert (baked.layer / "etc/machine-id").read_text() == ""
    for path in ("etc/munge/munge.key", "opt/hpc/config", "opt/hpc/instance", "var/lib/systemd/random-seed"):
        assert is_gone(baked.layer / path), path
    assert all(map(is_gone, (baked.layer / "etc/ssh").glob("ssh_host_*")))
    assert sum(path.stat().st_size for path in (baked.layer / "var/log").rglob("*") if path.is_file()) < 100_000


def is_gone(path: Path) -> bool:
    """Whether a layer has no such file, and hides that of a lower layer."""
    return not os.path.lexists(path) or (stat.S_ISCHR(path.lstat().st_mode) and path.lstat().st_rdev == 0)


def test_the_image_passes_its_own_test(tested: str) -> None:
    assert tested.splitlines()[-1] == "hpc-image: test succeeded", tested


def test_a_cluster_boots_from_the_image_and_runs_a_job(
    cluster: Cluster, head: Machine, login: Machine, nodes: list[Machine]
) -> None:
    output = cluster.lab.files / "shared" / "hello.out"

    def is_done() -> bool:
        left = jobs(head)
        assert not left, f"{left}\n{output.read_text() if output.exists() else 'no output yet'}"
        return True

    wait_for(is_done, "the job is done")
    names = [machine.run("hostname").strip() for machine in nodes]
    assert set(names) <= set(output.read_text().split())
    assert "COMPLETED" in head.run("sacct", "-n", "-X", "-o", "state")
    assert "debug" in login.run("sinfo", user="alice")
    assert {"slurmctld.service", "slurmdbd.service", "hpc-elastic.service"} <= set(services(head))


def test_no_node_of_the_image_fetches_a_package(head: Machine, login: Machine, nodes: list[Machine]) -> None:
    for machine in (head, login, *nodes):
        assert machine.run("cat", "/var/log/fetched", check=False).endswith("No such file or directory\n")


def test_nodes_of_one_image_are_different_machines(head: Machine, login: Machine, nodes: list[Machine]) -> None:
    for path in ("/etc/machine-id", "/etc/ssh/ssh_host_ed25519_key.pub"):
        each = [machine.seen(path).read_bytes() for machine in nodes]
        assert len(set(each)) == len(nodes), path
        assert all(each), path
