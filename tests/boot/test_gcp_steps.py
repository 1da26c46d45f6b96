"""Steps on Google Cloud: what its images and agents do, its disks, its addresses."""

from collections.abc import Callable

import pytest

from .sandbox import Sandbox
from .stage import call

Make = Callable[..., Sandbox]

AGENT = "etc/default/instance_configs.cfg"
UBUNTU = "[Accounts]\ngroups = ubuntu,adm,lxd\n\n[InstanceSetup]\nset_host_keys = false\n"


def with_agent(make: Make) -> Sandbox:
    """A machine of one of Google's images."""
    box = make("compute")
    box.fake("systemctl", 'case $1 in is-active) [[ $3 == google-guest-agent ]] ;; *) echo "$@" >>/did ;; esac')
    box.fake("usermod", 'echo usermod "$@" >>/did')
    box.fake("getent", 'if [[ "$*" == "group google-sudoers" ]]; then echo "google-sudoers:x:1001:ann,bob"; fi')
    box.fake("dpkg-divert", 'f=${!#}; if [[ -e $f && ! -e $f.google ]]; then mv $f $f.google; fi; echo "$@" >>/did')
    return box


@pytest.mark.parametrize(
    ("distribution", "own", "groups"),
    [
        ("", "", "adm,dip,docker,lxd,plugdev,video,sudo"),
        (UBUNTU, "", "ubuntu,adm,lxd,sudo"),
        (UBUNTU, "[Accounts]\ngroups = sudo,cfd\n[Daemons]\nclock_skew_daemon = false\n", "sudo,cfd"),
    ],
)
def test_the_agent_leaves_host_keys_and_lets_administrators_in(
    gcp_sandbox: Make, distribution: str, own: str, groups: str
) -> None:
    """Compute nodes let in whom group sudo has; Google's agent has a group of its own for administrators."""
    box = with_agent(gcp_sandbox)
    for path, text in ((f"{AGENT}.distro", distribution), (AGENT, own)):
        if text:
            box.write(path, text)
    for _ in range(2):
        assert call(box, "adapt_image").status == 0
    settings = box.read(AGENT)
    assert f"groups = {groups}\n" in settings
    assert "set_host_keys = false\n" in settings
    assert ("clock_skew_daemon = false" in settings) == ("clock_skew_daemon" in own), "what is there stays"
    did = box.read("did").splitlines()
    assert {"restart google-guest-agent", "usermod -aG sudo ann", "usermod -aG sudo bob"} <= set(did)
    assert "restart google-guest-agent-manager" not in did, "it does not run"


def test_google_s_hooks_do_not_change_the_host_name(gcp_sandbox: Make) -> None:
    """They do so at each renewal of the address, and write into /etc/hosts."""
    box = with_agent(gcp_sandbox)
    box.write("usr/bin/google_set_hostname", "#!/bin/sh\nhostname another\n")
    box.fake("hostname", "echo $1 >/named")
    for _ in range(2):
        assert call(box, "adapt_image").status == 0
    assert box.run("sh", "-c", "new_host_name=a.b google_set_hostname").returncode == 0
    assert not (box.root / "named").exists()
    assert "another" in box.read("usr/bin/google_set_hostname.google")


def test_an_image_of_a_head_node_ends_and_copies_nothing(gcp_sandbox: Make) -> None:
    box = with_agent(gcp_sandbox)
    assert call(box, "adapt_image").status == 0
    (line,) = [line for line in box.read("did").splitlines() if "hpc-reap" in line]
    assert line == "disable -q hpc-reap.service hpc-import.service hpc-export.timer"


def test_names_and_time_can_be_had_where_the_metadata_are(gcp_sandbox: Make) -> None:
    """169.254.169.254 is also the network's name server and clock; systemd-resolved and chrony are not root."""
    box = gcp_sandbox("login")
    box.step("common/metadata.sh", "metadata_fence")
    assert [line.strip() for line in box.read("etc/hpc/metadata.nft").splitlines() if "reject" in line] == [
        "ip daddr 169.254.169.254 tcp dport { 80,443 } meta skuid != { 0 } reject",
        "ip6 daddr fd20:ce::254 tcp dport { 80,443 } meta skuid != { 0 } reject",
    ]


def test_local_ssds_are_striped(gcp_sandbox: Make) -> None:
    """Those of the machine, and no Persistent Disk or Hyperdisk, which are NVMe devices too."""
    queues = "queue cpus gpus smt fabric local_scratch metadata\ndebug 2 0 no no /scratch system\n"
    box = gcp_sandbox("compute", **{"compute/queues": queues})
    box.write("etc/passwd", (box.lower[-1] / "etc/passwd").read_text())
    box.write("opt/hpc/config/common/cloud.sh", box.config["common/cloud.sh"] + "fact() { echo debug; }\n")
    models = r"printf '/dev/nvme0n1 nvme_card-pd\n/dev/nvme0n2 nvme_card\n/dev/nvme0n3 nvme_card\n/dev/sda SCSI\n'"
    box.fake("lsblk", models)
    box.fake("blkid", '[[ "$*" == *UUID* ]] && echo 1-2')
    for command in ("vgcreate", "lvcreate", "mkfs.ext4", "mount"):
        box.fake(command, f'echo {command} "$@" >>/did')
    box.step("compute/machine.sh", "local_scratch")
    did = box.read("did")
    assert "vgcreate -qq hpc-scratch /dev/nvme0n2 /dev/nvme0n3\n" in did
    assert "lvcreate -qq -y -n scratch -l 100%FREE -i 2 " in did
