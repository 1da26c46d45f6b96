"""SSH between nodes: what the step writes, and what real clients and servers make of it. PAM asks for no job here."""

import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from hpc_components.boot.files import boot_files
from hpc_components.boot.ssh import ssh_files
from tests.namespaces import namespaces
from tests.processes import Start

from .cluster import spec
from .lab import wait_for
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

NODE, LOGIN, OTHER_LOGIN, ELSEWHERE = "10.90.64.101", "10.90.64.51", "10.90.64.52", "192.0.2.7"
HOSTS = f"""{NODE} debug-1 debug-1.lab.hpc.internal debug-1.example.org
{LOGIN} login-10-90-64-51
{OTHER_LOGIN} login-10-90-64-51
"""
"""With one that lies about its name."""
KEY = "etc/ssh/ssh_host_ed25519_key"
CERTIFICATE = f"{KEY}-cert.pub"

NEW_MACHINE = """
rm /etc/ssh/ssh_host_*
ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key
useradd -m -u 12000 alice
mkdir -p /run/sshd
"""


def node(make: Make, role: str, name: str, address: str, way: str = "host_based") -> Sandbox:
    """A node before the step, of a cluster with people."""
    described = spec(people={"ssh_between_nodes": way})
    box = make(role, **{"common/cluster.env": boot_files(described)["common/cluster.env"], **ssh_files(described)})
    box.fake("hostname", f"echo {name}")
    box.fake("systemctl", 'echo "$@" >>/systemctl')
    box.write("systemctl", "")
    box.write("run/hpc/fact.address", f"{address}\n")
    box.write("etc/munge/munge.key", "m" * 1024)
    box.write("etc/hosts", HOSTS)
    run = box.run("bash", "-ec", NEW_MACHINE)
    assert run.returncode == 0, run.stdout
    return box


def prepare(*boxes: Sandbox) -> str:
    """Run the step on nodes; what the last one says."""
    said = ""
    for box in boxes:
        said = box.step("common/ssh.sh", "ssh_between_nodes")
    return said


def certificate(box: Sandbox) -> str:
    return box.run("ssh-keygen", "-L", "-f", f"/{CERTIFICATE}").stdout


@pytest.fixture
def login(sandbox: Make) -> Sandbox:
    return node(sandbox, "login", "login-10-90-64-51", LOGIN)


@pytest.fixture
def compute(sandbox: Make) -> Sandbox:
    return node(sandbox, "compute", "debug-1", NODE)


@dataclass
class Network:
    """A network whose hosts have all addresses, each: a client chooses from which one it comes."""

    inside: tuple[str, ...]
    start: Start

    def serve(self, box: Sandbox, address: str = NODE) -> None:
        """Let sshd of this node, which runs no more steps, serve the address."""
        box.inside = self.inside
        command, how = box.process("/usr/sbin/sshd", "-D", "-o", f"ListenAddress={address}")
        self.start(command, **how)
        listening = [*self.inside, "ss", "-Hltn", "src", f"{address}:22"]
        wait_for(lambda: subprocess.check_output(listening), "sshd listens")

    def ssh(self, box: Sandbox, to: str, *, user: str = "alice", by: str = LOGIN) -> str:
        """What a user of this node gets who asks another for a name, without a terminal to answer questions."""
        box.inside = self.inside
        ssh = ("ssh", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR", "-b", by, to, "id -un")
        return box.run("runuser", "-u", user, "--", *ssh).stdout.strip().rpartition("\n")[2]


@pytest.fixture
def network(start: Start) -> Iterator[Network]:
    with namespaces() as first:
        inside = ("nsenter", "-t", str(first), "-n")
        addresses = (NODE, LOGIN, OTHER_LOGIN, ELSEWHERE)
        up = "ip link set lo up; " + "; ".join(f"ip addr add {each}/32 dev lo" for each in addresses)
        subprocess.run([*inside, "sh", "-ec", up], check=True)
        yield Network(inside, start)


DENIED = "alice@debug-1: Permission denied (publickey,password,hostbased)."


def test_users_reach_a_compute_node_without_key_or_question(
    network: Network, login: Sandbox, compute: Sandbox
) -> None:
    prepare(login, compute)
    network.serve(compute)
    for name in ("debug-1", "debug-1.lab.hpc.internal"):
        assert network.ssh(login, name) == "alice"
    assert network.ssh(compute, "debug-1", by=NODE) == "alice", "as MPI does from the job's first node"
    assert network.ssh(login, NODE).endswith("Permission denied (publickey,password,hostbased)."), "but no question"
    assert network.ssh(login, "root@debug-1").endswith("Permission denied (publickey,password,hostbased).")
    assert network.ssh(login, "debug-1", user="root").endswith("Permission denied (publickey,password,hostbased).")


def test_a_certificate_counts_only_for_its_own_address(network: Network, login: Sandbox, compute: Sandbox) -> None:
    prepare(login, compute)
    network.serve(compute)
    assert network.ssh(login, "debug-1", by=OTHER_LOGIN) == DENIED
    assert network.ssh(login, "debug-1", by=ELSEWHERE) == DENIED.replace(",hostbased", ""), "outside of the network"


def test_a_login_node_admits_no_user_of_another_node(network: Network, login: Sandbox, compute: Sandbox) -> None:
    prepare(login, compute)
    network.serve(login, LOGIN)
    denied = "alice@login-10-90-64-51: Permission denied (publickey,password)."
    assert network.ssh(compute, "login-10-90-64-51", by=NODE) == denied


def test_a_host_of_another_cluster_is_not_taken_for_a_node(
    network: Network, login: Sandbox, compute: Sandbox
) -> None:
    compute.write("etc/munge/munge.key", "n" * 1024)
    prepare(login, compute)
    network.serve(compute)
    for name in ("debug-1", "debug-1.lab.hpc.internal", NODE):
        assert network.ssh(login, name) == "Host key verification failed."


def test_a_node_of_another_cluster_admits_nobody(network: Network, login: Sandbox, compute: Sandbox) -> None:
    """Its users have accepted the host's key, but it does not accept theirs."""
    compute.write("etc/munge/munge.key", "n" * 1024)
    prepare(login, compute)
    network.serve(compute)
    login.write("etc/ssh/ssh_known_hosts", "debug-1 " + compute.read(f"{KEY}.pub"))
    assert network.ssh(login, "debug-1") == DENIED


def test_other_hosts_keys_are_asked_about_as_before(network: Network, login: Sandbox, compute: Sandbox) -> None:
    """A host elsewhere may have a name like a node's, and its key may be known to the user."""
    compute.write("etc/munge/munge.key", "n" * 1024)
    prepare(login, compute)
    network.serve(compute)
    (login.root / "home/alice/.ssh").mkdir()
    login.write("home/alice/.ssh/known_hosts", "debug-1.example.org,debug-1 " + compute.read(f"{KEY}.pub"))
    denied = "alice@debug-1.example.org: Permission denied (publickey,password,hostbased)."
    assert network.ssh(login, "debug-1.example.org") == denied
    assert network.ssh(login, "debug-1") == "Host key verification failed.", "a node's key comes from its certificate"


@pytest.mark.parametrize("way_of_compute", ["host_based", "personal_keys"])
@pytest.mark.parametrize("way_of_login", ["host_based", "personal_keys"])
def test_a_key_of_the_user_s_own_counts_within_the_network(
    network: Network, sandbox: Make, way_of_login: str, way_of_compute: str
) -> None:
    """Also between nodes that booted before and after a change."""
    login = node(sandbox, "login", "login-10-90-64-51", LOGIN, way_of_login)
    compute = node(sandbox, "compute", "debug-1", NODE, way_of_compute)
    prepare(login, compute)
    network.serve(compute)
    hosts = way_of_login == way_of_compute == "host_based"
    ways = "publickey,password,hostbased" if way_of_compute == "host_based" else "publickey,password"
    assert network.ssh(login, "debug-1") == ("alice" if hosts else f"alice@debug-1: Permission denied ({ways}).")
    make_key = "mkdir -m 700 ~/.ssh; ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_hpc"
    assert login.run("runuser", "-l", "alice", "-c", make_key).returncode == 0
    compute.run("runuser", "-l", "alice", "-c", "mkdir -m 700 ~/.ssh")
    compute.write("home/alice/.ssh/id_hpc.pub", login.read("home/alice/.ssh/id_hpc.pub"))
    assert network.ssh(login, "debug-1") == "alice"
    assert network.ssh(login, "debug-1", by=ELSEWHERE) == "alice@debug-1: Permission denied (publickey,password)."


def test_failed_logins_of_one_person_keep_no_other_out(login: Sandbox, compute: Sandbox, network: Network) -> None:
    prepare(login, compute)
    network.serve(compute)
    for _ in range(8):
        assert network.ssh(login, "root@debug-1").startswith("root@debug-1: Permission denied ")
    assert network.ssh(login, "debug-1") == "alice"


def test_an_sshd_without_penalties_is_told_nothing_of_them(compute: Sandbox) -> None:
    """It would refuse to start."""
    compute.fake("sshd", "echo 'unknown option -- G' >&2; exit 1")
    prepare(compute)
    assert "Penalt" not in compute.read("etc/ssh/sshd_config.d/50-hpc.conf")


def test_with_keys_of_users_a_node_has_no_list_of_hosts(sandbox: Make) -> None:
    """Also on an image that was made from a node of another cluster."""
    compute = node(sandbox, "compute", "debug-1", NODE, "personal_keys")
    compute.write("etc/ssh/shosts.equiv", "+@hpc\n")
    compute.write("etc/ssh/sshd_config.d/60-image.conf", "HostbasedAuthentication yes\n")
    prepare(compute)
    assert not (compute.root / "etc/ssh/shosts.equiv").exists()
    said = compute.run("sshd", "-T", "-C", f"user=alice,host={LOGIN},addr={LOGIN}").stdout.splitlines()
    assert "hostbasedauthentication no" in said


def test_settings_of_the_image_do_not_weaken_those_of_the_step(compute: Sandbox) -> None:
    settings = ["usedns", "ignoreuserknownhosts", "hostbasedusesnamefrompacketonly", "ignorerhosts"]
    weak = dict(zip(settings, ["yes", "no", "yes", "no"], strict=True))
    compute.write("etc/ssh/sshd_config.d/60-image.conf", "".join(f"{key} {value}\n" for key, value in weak.items()))
    prepare(compute)
    said = compute.run("sshd", "-T", "-C", f"user=alice,host={LOGIN},addr={LOGIN}").stdout.splitlines()
    in_force = dict(line.split(" ", 1) for line in said)
    assert [in_force[key] for key in settings] == ["no", "yes", "no", "yes"]


def test_run_again_the_step_changes_nothing(compute: Sandbox) -> None:
    assert "wrote" in prepare(compute)
    before = compute.read(CERTIFICATE)
    assert prepare(compute) == ""
    assert compute.read(CERTIFICATE) == before
    assert compute.read("systemctl").splitlines() == ["try-reload-or-restart ssh"]


@pytest.mark.parametrize(
    "change",
    [
        ("etc/munge/munge.key", "n" * 1024),
        ("run/hpc/fact.address", "10.90.64.102\n"),
        ("fakes/hostname", "#!/bin/bash\necho debug-2\n"),
        (f"{KEY}.pub", "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGNaB3KLZs+hsCFt8vnqJwJQGBYHLLVZrWbJDxZzBeoa\n"),
    ],
)
def test_a_certificate_follows_key_authority_and_names(compute: Sandbox, change: tuple[str, str]) -> None:
    prepare(compute)
    before = compute.read(CERTIFICATE)
    compute.write(*change)
    prepare(compute)
    assert compute.read(CERTIFICATE) != before
    assert compute.read("systemctl").splitlines() == ["try-reload-or-restart ssh"] * 2


def test_sshd_reads_a_change_that_an_earlier_run_did_not_tell_it(compute: Sandbox) -> None:
    compute.fake("systemctl", "exit 1")
    compute.failing("common/ssh.sh", "ssh_between_nodes")
    compute.fake("systemctl", 'echo "$@" >>/systemctl')
    prepare(compute)
    assert compute.read("systemctl").splitlines() == ["try-reload-or-restart ssh"]


def test_a_certificate_names_its_node(compute: Sandbox) -> None:
    prepare(compute)
    said = certificate(compute)
    assert 'Key ID: "debug-1"' in said
    principals = said.partition("Principals:")[2].partition("Critical")[0].split()
    assert principals == ["debug-1", "debug-1.lab.hpc.internal", NODE]
    assert "Valid: forever" in said


def test_the_authority_s_private_key_does_not_stay(compute: Sandbox) -> None:
    prepare(compute)
    before = sorted(each.name for each in (compute.root / "run/hpc").iterdir())
    assert before == ["fact.address", "sshd.with"]
    compute.fake("ssh-keygen", "cp -p /run/hpc/ssh/authority /seen; stat -c %a /seen >/mode; echo broken >&2; exit 1")
    compute.failing("common/ssh.sh", "ssh_between_nodes")
    assert "PRIVATE KEY" in compute.read("seen")
    assert compute.read("mode") == "600\n"
    assert (
        sorted(each.name for each in (compute.root / "run/hpc").iterdir() if not each.name.endswith(".failed"))
        == before
    )


def test_lines_of_the_image_stay(compute: Sandbox) -> None:
    known, groups = "example.org ssh-ed25519 AAAA\n", "printers (printer1,-,)\n"
    compute.write("etc/ssh/ssh_known_hosts", known)
    compute.write("etc/netgroup", groups)
    compute.write("etc/nsswitch.conf", "passwd: files extrausers\nnetgroup: nis sss\n")
    for _ in range(2):
        prepare(compute)
        assert compute.read("etc/ssh/ssh_known_hosts") == known
        assert compute.read("etc/netgroup") == groups + "hpc (,-,)\n"
        assert compute.read("etc/nsswitch.conf") == "passwd: files extrausers\nnetgroup: files nis sss\n"


def test_a_login_node_from_an_image_of_a_compute_node_admits_nobody(compute: Sandbox) -> None:
    prepare(compute)
    compute.role = "login"
    prepare(compute)
    assert compute.read("etc/ssh/sshd_config.d/50-hpc.conf").startswith(f"HostCertificate /{CERTIFICATE}\n")
    assert "Match" not in compute.read("etc/ssh/sshd_config.d/50-hpc.conf")
    assert not (compute.root / "etc/ssh/shosts.equiv").exists()


def test_a_host_key_that_the_image_lacks_is_made(compute: Sandbox) -> None:
    compute.run("rm", f"/{KEY}", f"/{KEY}.pub")
    prepare(compute)
    assert re.search(r"Public key: ED25519-CERT SHA256:\S+", certificate(compute))
