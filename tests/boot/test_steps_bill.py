"""The steps that install hpc-bill, and remove it with the last budget."""

from collections.abc import Callable

import pytest

from hpc_components.boot.files import boot_files
from tests.boot.cluster import spec

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

PROGRAM, LIMITS, SUDO = "opt/hpc/bin/hpc-bill", "etc/hpc/budgets.json", "etc/sudoers.d/hpc-bill"
UNITS = (
    "etc/systemd/system/hpc-settle.service",
    "etc/systemd/system/hpc-settle.timer",
    "etc/systemd/system/slurmctld.service.d/hpc-settle.conf",
)

METRICS = "var/lib/prometheus/node-exporter/budgets.prom"
END_JOBS = "etc/systemd/system/hpc-end-jobs.service"


def files(at_limit: str) -> dict[str, str]:
    accounting = {"accounts": {"lab": {"budget": {"monthly": 100}}}, "at_limit": at_limit}
    made = boot_files(spec(slurm={"version": "24.11", "accounting": accounting}))
    return {name: made[name] for name in ("common/budgets.json", "common/hpc-bill.b64")}


FILES = files("finish")


def mode(box: Sandbox, path: str) -> int:
    return (box.root / path).stat().st_mode & 0o777


@pytest.mark.parametrize(("role", "settles"), [("head", True), ("login", False)])
def test_a_node_has_the_program_and_private_budgets(sandbox: Make, role: str, settles: bool) -> None:
    box = sandbox(role, **FILES)
    assert "wrote /opt/hpc/bin/hpc-bill" in box.step("common/bill.sh", "bill")
    assert (mode(box, PROGRAM), mode(box, LIMITS), mode(box, SUDO)) == (0o755, 0o600, 0o440)
    assert "hpc-bill budgets" in box.run("/usr/local/bin/hpc-bill", "budgets", "--help").stdout
    assert [(box.root / unit).exists() for unit in UNITS] == [settles] * 3
    assert box.step("common/bill.sh", "bill") == ""


@pytest.mark.parametrize(("words", "refused"), [("concerns", False), ("settle", True), ("concerns --help", True)])
def test_root_answers_people_about_their_own_budgets(sandbox: Make, words: str, refused: bool) -> None:
    box = sandbox("login", **FILES)
    box.step("common/bill.sh", "bill")
    box.fake("scontrol", "exit 1")
    said = box.run(
        "setpriv", "--reuid=daemon", "--regid=daemon", "--clear-groups", "sudo", "-n", f"/{PROGRAM}", *words.split()
    )
    assert ("a password is required" in said.stdout) is refused


def test_root_uses_programs_of_the_system_whatever_the_image_says(sandbox: Make) -> None:
    box = sandbox("login", **FILES)
    box.step("common/bill.sh", "bill")
    box.write("etc/sudoers.d/image", "Defaults !secure_path\nDefaults !env_reset\n")
    for folder, status in (("mine", 3), ("usr/bin", 1)):
        box.write(f"{folder}/scontrol", f"#!/bin/bash\necho {folder} >>/called\nexit {status}\n")
        (box.root / folder / "scontrol").chmod(0o755)
    caller = ("setpriv", "--reuid=daemon", "--regid=daemon", "--clear-groups", "env", "PATH=/mine:/usr/bin:/bin")
    box.run(*caller, "sudo", "-n", f"/{PROGRAM}", "concerns")
    assert box.read("called").split() == ["usr/bin"]


def test_root_takes_nothing_from_the_environment_of_its_caller(sandbox: Make) -> None:
    box = sandbox("login", **FILES)
    box.step("common/bill.sh", "bill")
    box.write("usr/bin/scontrol", "#!/bin/bash\nenv >/seen\nexit 1\n")
    (box.root / "usr/bin/scontrol").chmod(0o755)
    caller = ("setpriv", "--reuid=daemon", "--regid=daemon", "--clear-groups")
    mine = ("env", "SUDO_UID=0", "SLURM_CONF=/mine", "PYTHONPATH=/mine", "PATH=/mine:/usr/bin:/bin")
    box.run(*caller, *mine, "sudo", "-n", f"/{PROGRAM}", "concerns")
    seen = box.read("seen").splitlines()
    assert "SUDO_UID=1" in seen
    assert not [line for line in seen if "mine" in line]
    said = box.run(*caller, "sudo", "-n", "SUDO_UID=0", f"/{PROGRAM}", "concerns").stdout
    assert "not allowed to set the following environment variables: SUDO_UID" in said


def test_limits_are_settled_at_boot_and_each_minute(sandbox: Make) -> None:
    box = sandbox("head", **FILES)
    box.step("common/bill.sh", "bill")
    box.write(PROGRAM, "#!/bin/bash\necho hpc-bill $*\n")
    assert "hpc-bill settle" in box.step("common/bill.sh", "limits_settled")
    assert "hpc-settle.timer" in box.read("running").split()
    assert not (box.root / END_JOBS).exists()


def test_a_service_ends_jobs_only_where_the_description_says_so(sandbox: Make) -> None:
    box = sandbox("head", **files("end"))
    box.step("common/bill.sh", "bill")
    box.write(PROGRAM, "#!/bin/bash\necho hpc-bill $*\n")
    assert "started hpc-end-jobs" in box.step("common/bill.sh", "limits_settled")
    assert f"ExecStart=/{PROGRAM} end\n" in box.read(END_JOBS)
    assert box.step("common/bill.sh", "limits_settled") == "hpc-bill settle\n"
    box.write("opt/hpc/config/common/budgets.json", FILES["common/budgets.json"])
    box.step("common/bill.sh", "limits_settled")
    assert not (box.root / END_JOBS).exists()


@pytest.mark.parametrize(
    ("monitoring", "expected"),
    [("yes", [f"-/{PROGRAM} metrics", f"/{PROGRAM} settle"]), ("no", [f"/{PROGRAM} settle"])],
)
def test_budgets_become_metrics_where_they_are_kept(sandbox: Make, monitoring: str, expected: list[str]) -> None:
    box = sandbox("head", **FILES, **{"common/cluster.env": f"HPC_CLUSTER=lab\nHPC_MONITORING={monitoring}\n"})
    box.write(METRICS, "hpc_budget_dollars 1")
    box.step("common/bill.sh", "bill")
    lines = box.read(UNITS[0]).splitlines()
    assert [line.removeprefix("ExecStart=") for line in lines if line.startswith("ExecStart=")] == expected
    assert (box.root / METRICS).exists() is (monitoring == "yes")


def test_nothing_is_left_without_budgets(sandbox: Make) -> None:
    box = sandbox("head", **FILES)
    box.step("common/bill.sh", "bill")
    box.write(METRICS, "hpc_budget_dollars 1")
    for name in FILES:
        (box.root / "opt/hpc/config" / name).unlink()
    box.step("common/bill.sh", "bill")
    assert not any((box.root / file).exists() for file in (PROGRAM, LIMITS, SUDO, END_JOBS, METRICS, *UNITS))
    assert box.step("common/bill.sh", "limits_settled") == ""
