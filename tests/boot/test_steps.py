"""Single steps: what they write, and the one line that they fail with."""

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hpc_components.elastic.config import load_config

from .fake_aws import FakeAws, Instance
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

MUNGE = "hpc/lab/munge-lab-config-1a2b3c"


@pytest.mark.parametrize(
    ("system", "reason"),
    [
        (
            "ID=rocky\nVERSION_ID=8.10",
            "rocky-8.10 is not supported: use an image of Ubuntu 24.04 or 22.04, Debian 12 or 13, Rocky Linux 9 or "
            "AlmaLinux 9",
        ),
        (
            'ID=ubuntu\nVERSION_ID="24.04"',
            "the image is ubuntu-24.04, but the cluster's os is debian-13: set another image, or os: ubuntu-24.04",
        ),
    ],
)
def test_another_system_is_refused(sandbox: Make, system: str, reason: str) -> None:
    box = sandbox("compute")
    (box.root / "etc").mkdir(exist_ok=True)
    box.write("etc/os-release", system + "\n")
    assert box.failing("common/system.sh", "supported") == reason


def test_an_image_is_adapted_once(sandbox: Make) -> None:
    verbs = sandbox("login").config["common/cloud.sh"] + "adapt_image() { echo adapted >>/did; }\n"
    box = sandbox("login", **{"common/cloud.sh": verbs})
    for _ in range(2):
        box.step("common/system.sh", "fresh_start")
    assert box.read("did") == "adapted\n"


def test_each_role_knows_its_hosts(sandbox: Make, aws: FakeAws) -> None:
    tags = {"hpc:queue": "debug", "hpc:nodes": "2-3.9"}
    aws.instances["127.0.0.1"] = Instance(tags, "i-0123456789abcdef0", "10.90.64.101", launch_index=2)
    for role, name, hosts in (
        ("compute", "debug-9", ["10.90.64.20 head", "10.90.64.101 debug-9"]),
        ("login", "login-10-90-64-101", ["10.90.64.20 head", "10.90.64.101 login-10-90-64-101"]),
        ("head", "head", ["10.90.64.20 head"]),
    ):
        box = sandbox(role)
        box.fake("hostname", '[[ $# == 0 ]] && echo ip-10-0-0-1 || echo "$1" >/hostname')
        box.step("common/system.sh", "identity")
        assert box.read("hostname") == box.read("etc/hostname") == f"{name}\n"
        assert box.read("etc/hosts").split("\n")[2:4] == hosts + [""] * (2 - len(hosts))


def test_the_munge_key_is_made_once(sandbox: Make, aws: FakeAws) -> None:
    aws.secrets[MUNGE] = {}
    box = sandbox("head")
    box.step("head/keys.sh", "munge_key")
    key = (box.root / "var/lib/hpc/keys/munge").read_bytes()
    assert len(key) == 1024
    assert list(aws.secrets[MUNGE].values()) == [key]
    assert (box.root / "etc/munge/munge.key").read_bytes() == key
    assert "key" not in box.step("head/keys.sh", "munge_key")
    assert list(aws.secrets[MUNGE].values()) == [key]


def test_the_state_volume_s_key_counts_and_a_new_volume_takes_the_secret_s(sandbox: Make, aws: FakeAws) -> None:
    aws.secrets[MUNGE] = {"old": b"k" * 1024}
    box = sandbox("head")
    box.step("head/keys.sh", "munge_key")
    assert (box.root / "etc/munge/munge.key").read_bytes() == b"k" * 1024
    aws.secrets[MUNGE] = {}
    box.step("head/keys.sh", "munge_key")
    assert list(aws.secrets[MUNGE].values()) == [b"k" * 1024]


def test_a_secret_that_is_not_there_is_named(sandbox: Make) -> None:
    reason = sandbox("head").failing("head/keys.sh", "munge_key")
    assert reason.startswith(f"key {MUNGE}: An error occurred (ResourceNotFoundException)")


def test_database_password_comes_from_its_secret(sandbox: Make, aws: FakeAws) -> None:
    aws.secrets["arn:of-it"] = {"1": b'{"username": "slurm", "password": "p&ss\\\\word"}'}
    box = sandbox("head")
    plain = box.config["common/cluster.env"]
    facts = plain.replace("HPC_ACCOUNTING=local", "HPC_ACCOUNTING=external") + "HPC_DATABASE_SECRET=arn:of-it\n"
    conf = "DbdHost=head\nStoragePass=@DATABASE_PASSWORD@\n"
    box = sandbox("head", **{"common/cluster.env": facts, "head/slurm/slurmdbd.conf": conf})
    box.fake("sacctmgr", "echo lab")
    box.step("head/accounting.sh", "accounting")
    assert box.read("etc/slurm/slurmdbd.conf") == 'DbdHost=head\nStoragePass="p&ss\\\\word"\n'
    assert (box.root / "etc/slurm/slurmdbd.conf").stat().st_mode & 0o777 == 0o600


def test_logins_on_compute_nodes_need_a_job(sandbox: Make) -> None:
    box = sandbox("compute")
    box.write("etc/pam.d/common-session", "session required pam_unix.so\nsession optional pam_systemd.so\n")
    box.fake("pam-auth-update", 'echo "$@" >/auth; sed -i /pam_systemd/d /etc/pam.d/common-session')
    box.step("compute/slurmd.sh", "logins_with_jobs_only")
    lines = box.read("etc/pam.d/sshd").splitlines()
    assert lines.index("@include common-account") < lines.index("account required pam_slurm_adopt.so # hpc")
    assert box.read("auth") == "--package --remove systemd\n"
    assert box.step("compute/slurmd.sh", "logins_with_jobs_only") == ""


def test_a_configuration_that_slurm_can_not_read_is_not_applied(sandbox: Make) -> None:
    """All of Slurm's commands would end with it, and the controller would not start again."""
    conf = sandbox("head").config["common/slurm/slurm.conf"]
    box = sandbox("head", **{"common/slurm/slurm.conf": conf + "SchedulerTipe=sched/backfill\n"})
    box.write("etc/slurm/slurm.conf", "ClusterName=lab\n")
    reason = box.failing("head/controller.sh", "configuration")
    assert reason.startswith("slurm.conf is not applied, because Slurm can't read it: ")
    assert "SchedulerTipe" in reason
    assert box.read("etc/slurm/slurm.conf") == "ClusterName=lab\n"


QUEUES = "queue cpus gpus smt fabric local_scratch metadata\ndebug 2 {gpus} no no - {metadata}\n"


@pytest.mark.parametrize(
    ("gpus", "files", "here", "reason"),
    [
        (0, "/gpus/nvidia[0-1]", "exit 127", None),
        (2, "/gpus/nvidia[0-1]", "touch /gpus/nvidia0 /gpus/nvidia1", None),
        (2, "/gpus/nvidia[0-1]", "touch /gpus/nvidia0", "this machine shows 1 GPUs, but slurm.conf says 2"),
        (
            1,
            "/gpus/nvidia0",
            "echo 'NVIDIA-SMI has failed'; exit 9",
            "this machine shows 0 GPUs, but slurm.conf says 1",
        ),
        (2, "/gpus/renderD[128,136]", "exit 127", None),  # AMD's, whose driver makes them by itself
        (3, "/gpus/renderD[128,136-137]", "exit 127", "this machine shows 2 GPUs, but slurm.conf says 3"),
        (2, "/gpus/renderD128,/gpus/renderD136", "exit 127", None),
    ],
)
def test_gpus_are_there_before_slurmd(sandbox: Make, gpus: int, files: str, here: str, reason: str | None) -> None:
    """As many as slurm.conf says, under the names that gres.conf has for them."""
    gres = f"NodeName=debug-2-[1-4] Name=gpu File=/other\nNodeName=debug-[1-4] Name=gpu Type=x File={files} Flags=y\n"
    queues = QUEUES.format(gpus=gpus, metadata="system")
    box = sandbox("compute", **{"compute/queues": queues, "common/slurm/gres.conf": gres})
    box.fake("nvidia-smi", here)
    for amd in (128, 136):
        box.write(f"gpus/renderD{amd}", "")
    if reason is None:
        box.step("compute/machine.sh", "gpus")
    else:
        said = box.failing("compute/machine.sh", "gpus")
        assert said == f"{reason}: use an image with their driver"
    box.fake("ss", "echo LISTEN")
    box.step("compute/slurmd.sh", "slurmd")
    unit = box.read("etc/systemd/system/slurmd.service.d/hpc.conf")
    assert ("ExecStartPre=-/usr/bin/env nvidia-smi -L\n" in unit) == (gpus > 0)


@pytest.mark.parametrize(
    ("switches", "installed", "started"), [(True, True, True), (False, True, False), (True, False, False)]
)
def test_fabric_manager_runs_where_switches_join_the_gpus(
    sandbox: Make, switches: bool, installed: bool, started: bool
) -> None:
    box = sandbox("compute")
    if switches:
        box.write("switches/0000:07:00.0", "")
    knows = f"[[ $1 != cat ]] || exit {int(not installed)}"
    box.fake("systemctl", f'{knows}\n[[ $1 == is-enabled ]] && exit 1\necho "$@"')
    run = box.run("bash", "-c", "source common/node.sh; source compute/machine.sh; SWITCHES=/switches; gpu_switches")
    assert run.returncode == 0, run.stderr
    assert ("start nvidia-fabricmanager" in run.stdout) == started


def test_a_rotated_log_is_opened_anew(sandbox: Make) -> None:
    box = sandbox("head")
    box.then("common/system.sh", "true", "rotated slurmctld")
    box.write("var/log/slurm/slurmctld.log", "slurmctld: all is well\n")
    box.fake("systemctl", 'echo "$@" >>/told')
    run = box.run("logrotate", "--force", "/etc/logrotate.d/slurmctld")
    assert (run.returncode, run.stdout) == (0, "")
    assert box.read("told") == "kill --signal=USR2 --kill-who=main slurmctld\n"
    assert box.read("var/log/slurm/slurmctld.log.1") == "slurmctld: all is well\n"


@pytest.mark.parametrize("role", ["head", "login"])
def test_the_boot_log_is_rotated_under_a_run_that_writes_to_it(sandbox: Make, role: str) -> None:
    """The timer runs the steps every minute as long as one of them fails."""
    box = sandbox(role)
    box.step("common/update.sh", "updates")
    run = box.run(
        "bash",
        "-c",
        "exec 3>>/var/log/hpc-boot.log; echo before >&3; logrotate --force /etc/logrotate.d/hpc-boot; echo after >&3",
    )
    assert (run.returncode, run.stdout) == (0, "")
    assert box.read("var/log/hpc-boot.log") == "after\n"
    assert gzip.decompress((box.root / "var/log/hpc-boot.log.1.gz").read_bytes()) == b"before\n"


def test_a_login_node_fails_without_its_controller(sandbox: Make) -> None:
    box = sandbox("login")
    box.fake("scontrol", "echo x >>/asked; exit 1")
    reason = box.failing("login/login.sh", "slurm_client")
    assert reason == "the controller at 10.90.64.20 does not answer after 15 minutes: check the head node"
    assert len(box.read("asked").split()) == 90, "every ten seconds"


def test_a_controller_that_comes_later_is_awaited(sandbox: Make) -> None:
    box = sandbox("login")
    box.fake("scontrol", "echo x >>/asked; (($(wc -l </asked) > 40))")
    box.step("login/login.sh", "slurm_client")


SYSTEMCTL = """
case $1 in
  is-enabled) [[ ${!#} == %s ]] ;;
  *) echo "$@" >>/systemctl ;;
esac
"""


@pytest.mark.parametrize("unit", ["ssh.socket", "ssh.service"])
def test_no_logins_before_a_login_node_is_ready(sandbox: Make, unit: str) -> None:
    """Ubuntu 24.04 listens by the socket, the others by the service."""
    box = sandbox("login")
    box.fake("systemctl", SYSTEMCTL % unit)
    box.write("opt/hpc/open", "i-0fedcba9876543210\n")  # of the node that the image was made of
    for _ in range(2):  # the first boot has failed
        box.step("login/login.sh", "no_logins")
    box.step("login/login.sh", "logins")
    before = ["stop ssh.socket ssh.service"] * 2 + [f"start {unit}"]
    assert box.read("systemctl").splitlines() == before
    for step in ("no_logins", "logins"):  # a changed configuration
        assert box.step("login/login.sh", step) == ""
    assert box.read("systemctl").splitlines() == before


def test_a_unit_that_does_not_start_gives_its_reason(sandbox: Make) -> None:
    box = sandbox("compute")
    box.fake("systemctl", "[[ $1 != restart && $1 != show && $1 != is-active ]]")
    box.fake("journalctl", "echo 'slurmd: starting'; echo 'slurmd: fatal: no controller'; echo 'slurmd: bye'")
    box.fake("hostname", "echo debug-1")
    assert box.failing("compute/slurmd.sh", "slurmd") == "slurmd: slurmd: fatal: no controller"
    options = box.read("etc/default/slurmd")
    assert options == 'SLURMD_OPTIONS="--conf-server 10.90.64.20:6817 -N debug-1"\n'


def test_a_slurmd_that_ends_at_once_is_an_error(sandbox: Make) -> None:
    """Debian 12: `systemctl restart` has no complaint."""
    box = sandbox("compute")
    box.fake("ss", "")
    box.fake("journalctl", "echo 'slurmd: fatal: Hybrid mode is not supported'")
    assert box.failing("compute/slurmd.sh", "slurmd") == "slurmd: slurmd: fatal: Hybrid mode is not supported"


def test_slurmd_needs_what_the_node_mounts(sandbox: Make) -> None:
    box = sandbox("compute")
    box.fake("ss", "echo LISTEN")
    box.write(
        "etc/fstab", "/dev/x /mnt/other ext4 rw 0 0\n# hpc begin shared\nfs:/ /fsx nfs rw 0 0\n# hpc end shared\n"
    )
    box.step("compute/slurmd.sh", "slurmd")
    unit = box.read("etc/systemd/system/slurmd.service.d/hpc.conf")
    assert unit.splitlines()[-2:] == ["[Unit]", "RequiresMountsFor=/fsx"]
    assert "slurmd" in box.read("running").split()


def test_files_are_replaced_only_if_they_differ(sandbox: Make, tmp_path: Path) -> None:
    box = sandbox("head")
    write = "put /etc/thing 640 root:slurm <<<text"
    assert box.then("common/system.sh", "true", write) == "wrote /etc/thing\n"
    assert box.then("common/system.sh", "true", write) == ""
    assert box.then("common/system.sh", "true", write.replace("640", "600")) == "wrote /etc/thing\n"
    assert not list(box.root.glob("etc/*.hpc-new"))


def test_the_elastic_daemon_is_told_its_clusters_bucket(sandbox: Make) -> None:
    """What tells the cluster's machines from those of another stack."""
    box = sandbox("head")
    box.step("head/elastic.sh", "elastic")
    config = load_config(box.read("etc/hpc/elastic.json"))
    fetched = load_config(box.read("opt/hpc/config/head/elastic.json"))
    assert (config.config, fetched.config) == ("lab-config-1a2b3c", "")
    assert replace(config, config="") == fetched


def test_the_address_of_the_webhook_is_for_the_daemon_alone_and_goes_with_its_key(sandbox: Make) -> None:
    verbs = sandbox("head").config["common/cloud.sh"] + 'read_password() { [[ $1 == chat ]] && echo "$ADDRESS"; }\n'
    box = sandbox("head", **{"common/cloud.sh": verbs, "head/webhook_secret": "chat\n"})
    box.environment["ADDRESS"] = "https://chat.example.org/hooks/1"
    box.step("head/elastic.sh", "elastic")
    file = box.root / "etc/hpc/webhook"
    assert file.read_text() == "https://chat.example.org/hooks/1\n"
    assert (file.stat().st_mode & 0o777, file.owner()) == (0o600, "slurm")
    box.write("opt/hpc/config/head/webhook_secret", "gone\n")
    box.step("head/elastic.sh", "elastic")
    assert file.exists()  # the secret can't be read now, but was
    (box.root / "opt/hpc/config/head/webhook_secret").unlink()
    box.step("head/elastic.sh", "elastic")
    assert not file.exists()


def test_a_fact_is_asked_for_once_in_a_boot(sandbox: Make, aws: FakeAws) -> None:
    box = sandbox("login")
    for _ in range(2):
        box.step("common/system.sh", "identity")
    assert box.read("etc/hostname").startswith("login-")
    assert aws.asked.count("/latest/meta-data/local-ipv4") == 1
