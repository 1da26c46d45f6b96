"""Disks and mounts: what is formatted, what never is."""

import re
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

VOLUME = "vol0123456789abcdef0"
MIB = 2**20

LSBLK = """
for argument; do
  case $argument in
    NAME,SERIAL) exec echo "{name} {serial}" ;;
    NAME,MODEL) exec cat /models ;;
  esac
done
exec /usr/bin/lsblk "$@"
"""
"""A loop device has neither serial number nor model; all else is asked of the real one."""


@contextmanager
def loop(image: Path, size: int = 32 * MIB) -> Iterator[Path]:
    """A block device."""
    if not image.exists():
        image.write_bytes(b"")
    with image.open("ab") as file:
        file.truncate(size)
    device = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, text=True, check=False)
    if device.returncode != 0:
        pytest.skip(f"no loop device: {device.stderr.strip()}")
    try:
        yield Path(device.stdout.strip())
    finally:
        subprocess.run(["losetup", "-d", device.stdout.strip()], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with loop(tmp_path / "disk") as device:
        yield device


def head(make: Make, disk: Path, serial: str = VOLUME, size: int = 0) -> Sandbox:
    facts = make("head").config["common/cluster.env"].replace("HPC_STATE_GIB=64\n", f"HPC_STATE_GIB={size}\n")
    box = make("head", **{"common/cluster.env": facts})
    box.fake("lsblk", LSBLK.format(name=disk.name, serial=serial))
    box.write("etc/fstab", "LABEL=root / ext4 defaults 0 1\n")
    return box


def test_a_blank_state_volume_is_formatted_once(sandbox: Make, disk: Path) -> None:
    first = head(sandbox, disk)
    said = first.then("head/state.sh", "state_volume", "echo kept >/var/lib/hpc/file; umount /var/lib/hpc")
    assert f"formatted {disk}" in said
    mount = first.read("etc/fstab").splitlines()
    assert mount[0] == "LABEL=root / ext4 defaults 0 1"
    assert mount[2].startswith("UUID=")
    assert " /var/lib/hpc ext4 noatime,nofail" in mount[2]
    new = head(sandbox, disk)
    said = new.then("head/state.sh", "state_volume", "cat /var/lib/hpc/file; umount /var/lib/hpc")
    assert "formatted" not in said
    assert "kept" in said.splitlines()


def test_a_state_volume_that_has_grown_is_used_whole(sandbox: Make, disk: Path) -> None:
    box = head(sandbox, disk)
    box.fake(
        "resize2fs", 'echo "grown: $1"'
    )  # while it is mounted, that takes a capability that not all machines have
    assert f"grown: {disk}" in box.then("head/state.sh", "state_volume", "umount /var/lib/hpc")


def test_a_state_volume_that_still_grows_is_looked_at_again(sandbox: Make, disk: Path) -> None:
    box = head(sandbox, disk, size=1)
    box.fake("resize2fs", "touch /grown")
    assert box.failing("head/state.sh", "state_volume") == (
        "the state volume has 0 GiB instead of 1: the cloud is still enlarging it; retried every minute"
    )
    assert not (box.root / "grown").exists()


def filesystem(disk: Path) -> None:
    subprocess.run(["mkswap", disk], check=True, capture_output=True)


def partitions(disk: Path) -> None:
    subprocess.run(["sfdisk", "-q", disk], input="label: gpt\n,\n", text=True, check=True, capture_output=True)


def unknown(disk: Path) -> None:
    with disk.open("r+b") as file:
        file.seek(5000)
        file.write(b"precious")


@pytest.mark.parametrize(
    ("fill", "reason"),
    [
        (filesystem, "is neither blank nor ours: "),
        (partitions, "is neither blank nor ours: PTUUID="),
        (unknown, "holds unknown data, and is not formatted"),
    ],
)
def test_a_state_volume_that_holds_anything_is_left_alone(
    sandbox: Make, disk: Path, fill: Callable[[Path], None], reason: str
) -> None:
    fill(disk)
    before = disk.read_bytes()
    assert head(sandbox, disk).failing("head/state.sh", "state_volume").startswith(f"state volume {disk} {reason}")
    assert disk.read_bytes() == before


def test_another_volume_is_not_the_state_volume(sandbox: Make, disk: Path) -> None:
    box = head(sandbox, disk, serial="vol0fedcba9876543210")
    box.impatient()
    reason = box.failing("head/state.sh", "state_volume")
    assert reason == "state volume vol-0123456789abcdef0 is not attached after ten minutes"


QUEUES = "queue cpus gpus smt fabric local_scratch metadata\ndebug 2 0 no no /scratch system\n"


def node(make: Make, models: str) -> Sandbox:
    box = make("compute", **{"compute/queues": QUEUES})
    box.fake("lsblk", LSBLK.format(name="nothing", serial="-"))
    box.write("models", models)
    box.write("etc/fstab", "")
    return box


def test_own_disk_is_scratch(sandbox: Make, disk: Path) -> None:
    box = node(sandbox, f"/dev/nvme0n1 Amazon Elastic Block Store\n{disk} Amazon EC2 NVMe Instance Storage        \n")
    said = box.then(
        "compute/machine.sh", "local_scratch", "stat -c %a /scratch; findmnt -no SOURCE /scratch; umount /scratch"
    )
    assert said.splitlines()[-2:] == ["1777", str(disk)]
    # a machine from an image of this node has no such disk, and starts all the same
    assert re.search(r"^UUID=[0-9a-f-]{36} /scratch ext4 noatime,nofail,", box.read("etc/fstab"), re.M)


def test_several_own_disks_are_one(sandbox: Make, disk: Path, tmp_path: Path) -> None:
    with loop(tmp_path / "another") as other:
        models = "".join(f"{each} Amazon EC2 NVMe Instance Storage\n" for each in (disk, other))
        box = node(sandbox, models)
        for command in ("vgcreate", "lvcreate", "mkfs.ext4", "mount"):
            box.fake(command, f'echo {command} "$@" >>/did')
        box.fake("blkid", "[[ ${!#} == /dev/hpc-scratch/scratch ]] && echo 0c1d || exit 2")
        box.step("compute/machine.sh", "local_scratch")
    assert box.read("did").splitlines() == [
        f"vgcreate -qq hpc-scratch {disk} {other}",
        "lvcreate -qq -y -n scratch -l 100%FREE -i 2 -I 64k hpc-scratch",
        "mkfs.ext4 -q -m 0 -E nodiscard,lazy_itable_init=1,lazy_journal_init=1 /dev/hpc-scratch/scratch",
        "mount /scratch",
    ]


def test_disks_that_the_image_makes_one_are_taken_as_it_makes_them(sandbox: Make) -> None:
    """nofail: else systemd has a cycle between the mount, that service and all local file systems, and drops one."""
    box = node(sandbox, "")
    box.fake("systemctl", '[[ $* == "cat dlami-nvme" ]] || echo "$@" >>/did')
    box.fake("mount", 'echo mount "$@" >>/did')
    box.step("compute/machine.sh", "local_scratch")
    assert box.read("did").splitlines() == ["start dlami-nvme.service", "mount /scratch"]
    line = "/opt/dlami/nvme /scratch none bind,nofail,x-systemd.requires=dlami-nvme.service 0 0"
    assert line in box.read("etc/fstab").splitlines()


@pytest.mark.parametrize("fill", [filesystem, partitions])
def test_own_disk_that_is_in_use(sandbox: Make, disk: Path, fill: Callable[[Path], None]) -> None:
    fill(disk)
    box = node(sandbox, f"{disk} Amazon EC2 NVMe Instance Storage\n")
    assert box.failing("compute/machine.sh", "local_scratch") == f"{disk}: in use or not empty"


def test_network_volumes_are_no_scratch(sandbox: Make) -> None:
    box = node(sandbox, "/dev/nvme0n1 Amazon Elastic Block Store\n/dev/nvme1n1 Amazon Elastic Block Store\n")
    reason = box.failing("compute/machine.sh", "local_scratch")
    assert reason == "this machine has no local NVMe disks, but the queue's local_scratch is /scratch"


MOUNTS = '[{"mount": "/home", "type": "none", "from": "/srv/homes", "options": "bind"}]'


def test_a_shared_home_does_not_hide_the_key_of_the_administrator(sandbox: Make) -> None:
    box = sandbox("login", **{"common/mounts.json": MOUNTS})
    box.write("srv/homes/alice/file", "alice's\n")
    box.write("home/ubuntu/.ssh/authorized_keys", "ssh-ed25519 AAAA admin\n")
    box.write("etc/passwd", "root:x:0:0:root:/root:/bin/bash\nubuntu:x:1000:1000:Ubuntu:/home/ubuntu:/bin/bash\n")
    box.write("etc/fstab", "LABEL=root / ext4 defaults 0 1\n")
    said = box.then(
        "common/mounts.sh", "mounts", 'cat /home/alice/file "$(getent passwd ubuntu | cut -d: -f6)"/.ssh/*'
    )
    assert said.splitlines()[-2:] == ["alice's", "ssh-ed25519 AAAA admin"]
    written = box.read("etc/fstab"), box.read("etc/passwd")
    assert "ubuntu:x:1000:1000:Ubuntu:/var/local/home/ubuntu:/bin/bash\n" in written[1]
    assert "/srv/homes /home none bind 0 0\n" in written[0]
    assert box.step("common/mounts.sh", "mounts") == ""
    assert (box.read("etc/fstab"), box.read("etc/passwd")) == written


def test_what_can_not_be_mounted_is_named(sandbox: Make) -> None:
    box = sandbox("login", **{"common/mounts.json": MOUNTS})
    box.write("etc/fstab", "")
    reason = box.failing("common/mounts.sh", "mounts")
    assert reason == "/home: cannot mount: mount: /home: special device /srv/homes does not exist."


def test_a_file_server_whose_name_is_known_later_is_waited_for(sandbox: Make) -> None:
    """EFS: 90 s after its mount target was made."""
    box = sandbox("login", **{"common/mounts.json": MOUNTS})
    box.write("etc/fstab", "")
    box.fake("sleep", 'echo "$1" >>/slept')
    box.fake("mount", "seconds=0; while read -r each; do ((seconds += each)); done </slept; ((seconds >= 160))")
    box.write("slept", "")
    box.step("common/mounts.sh", "mounts")
