"""Who may ask the metadata service."""

from collections.abc import Callable

import pytest

from .sandbox import Sandbox
from .test_steps import QUEUES

Make = Callable[..., Sandbox]


@pytest.mark.parametrize(("role", "users"), [("head", "0,64030"), ("login", "0"), ("compute", "0")])
def test_metadata_is_for_the_system(sandbox: Make, role: str, users: str) -> None:
    """With the credentials that it hands out, anybody could read the munge key."""
    box = sandbox(role)
    box.step("common/metadata.sh", "metadata_fence")
    assert f"ip daddr 169.254.169.254 meta skuid != {{ {users} }} reject" in box.read("etc/hpc/metadata.nft")
    assert box.read("running").split() == ["hpc-metadata"]
    box.run("useradd", "--system", "--uid", "977", "ec2-instance-connect")
    box.step("common/metadata.sh", "metadata_fence")
    assert f"skuid != {{ {users.replace('0', '0,977', 1)} }}" in box.read("etc/hpc/metadata.nft")


def test_a_role_of_the_queue_s_own_is_for_its_jobs(sandbox: Make) -> None:
    box = sandbox("compute", **{"compute/queues": QUEUES.format(gpus=0, metadata="jobs")})
    box.step("common/metadata.sh", "metadata_fence")
    assert not (box.root / "etc/hpc/metadata.nft").exists()
    assert not (box.root / "running").exists()


def test_an_image_of_another_queue_s_node_is_opened_for_jobs(sandbox: Make) -> None:
    box = sandbox("compute", **{"compute/queues": QUEUES.format(gpus=0, metadata="jobs")})
    box.write("etc/systemd/system/hpc-metadata.service", "")
    box.fake("nft", 'echo "$*" >>/nft; exit 1')  # it may have been opened before
    box.step("common/metadata.sh", "metadata_fence")
    assert box.read("nft") == "delete table inet hpc_metadata\n"
    assert not (box.root / "etc/systemd/system/hpc-metadata.service").exists()


def test_a_shutdown_opens_nothing(sandbox: Make) -> None:
    """A process that ignores SIGTERM lives on for a while, and would ask then."""
    assert "ExecStop" not in sandbox("login").config["common/units/hpc-metadata.service"]


def test_an_address_that_is_a_name_server_s_too_stays_open_for_names(sandbox: Make) -> None:
    verbs = sandbox("compute").config["common/cloud.sh"]
    verbs += "metadata_addresses() { printf '%s\\n' 169.254.9.1 '169.254.9.2 80,8080' fd00::1; }\n"
    box = sandbox("compute", **{"common/cloud.sh": verbs})
    box.step("common/metadata.sh", "metadata_fence")
    assert [line.strip() for line in box.read("etc/hpc/metadata.nft").splitlines() if "reject" in line] == [
        "ip daddr 169.254.9.1 meta skuid != { 0 } reject",
        "ip daddr 169.254.9.2 tcp dport { 80,8080 } meta skuid != { 0 } reject",
        "ip6 daddr fd00::1 meta skuid != { 0 } reject",
    ]
    assert box.run("unshare", "-n", "nft", "-c", "-f", "/etc/hpc/metadata.nft").returncode == 0


ASK = """
set -e
ip link set lo up
ip address add 169.254.169.254/32 dev lo
(cd /run && python3 -m http.server --bind 169.254.169.254 80 >/dev/null 2>&1) &
nft -f /etc/hpc/metadata.nft
ask="curl -s -m 20 -o /dev/null http://169.254.169.254/"
$ask --retry 100 --retry-connrefused --retry-delay 1 -m 100
for user in 0 2001; do
  setpriv --reuid=$user --clear-groups $ask || echo "$user ended with $?"
done
"""


def test_the_kernel_refuses_users_at_once(sandbox: Make) -> None:
    box = sandbox("login")
    box.step("common/metadata.sh", "metadata_fence")
    said = box.run("unshare", "-n", "bash", "-c", ASK).stdout
    assert said == "2001 ended with 7\n"  # curl's code for a refused connection
