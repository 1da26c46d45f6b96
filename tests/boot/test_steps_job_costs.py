"""The step that writes what jobs have cost into their comments."""

from collections.abc import Callable
from typing import Any

import pytest

from hpc_components.boot.files import boot_files
from tests.boot.cluster import spec

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

UNIT, DONE = "etc/systemd/system/hpc-job-costs", "var/lib/hpc/costs.written"


def facts(budget: float | None, estimates: bool) -> str:
    account: dict[str, Any] = {"budget": {"monthly": budget}} if budget else {}
    accounting = {"accounts": {"lab": account}, "cost_estimates": estimates}
    return boot_files(spec(slurm={"version": "24.11", "accounting": accounting}))["common/cluster.env"]


@pytest.mark.parametrize(("budget", "estimates"), [(None, False), (100, False), (None, True)])
def test_costs_are_not_written_without_both_keys(sandbox: Make, budget: float | None, estimates: bool) -> None:
    box = sandbox("head", **{"common/cluster.env": facts(budget, estimates)})
    assert box.step("head/job_costs.sh", "job_costs") == ""
    assert not (box.root / f"{UNIT}.timer").exists()


def test_costs_are_written_each_minute_until_the_key_is_removed(sandbox: Make) -> None:
    box = sandbox("head", **{"common/cluster.env": facts(100, True)})
    box.step("head/job_costs.sh", "job_costs")
    assert "ExecStart=/opt/hpc/bin/hpc-bill comment" in box.read(f"{UNIT}.service")
    assert "hpc-job-costs.timer" in box.read("running").split()
    assert box.step("head/job_costs.sh", "job_costs") == ""
    box.write(DONE, "1764336946")
    (box.root / "opt/hpc/config/common/cluster.env").write_text(facts(100, False))
    box.step("head/job_costs.sh", "job_costs")
    assert not any((box.root / file).exists() for file in (f"{UNIT}.timer", f"{UNIT}.service", DONE))


def test_mails_pass_through_a_program_of_ours_only_with_a_mailer_of_the_description(sandbox: Make) -> None:
    accounting = {"accounts": {"lab": {"budget": {"monthly": 100}}}, "cost_estimates": True}
    settings = {"MailProg": "/usr/local/bin/my mailer"}
    made = boot_files(spec(slurm={"version": "24.11", "accounting": accounting, "settings": settings}))
    assert "\nMailProg=/opt/hpc/bin/hpc-mail\n" in made["common/slurm/slurm.conf"]
    box = sandbox("head", **{"head/mail_program": made["head/mail_program"]})
    box.step("head/job_costs.sh", "mail_program")
    assert r"/usr/local/bin/my\ mailer" in box.read("opt/hpc/bin/hpc-mail")
    (box.root / "opt/hpc/config/head/mail_program").unlink()
    box.step("head/job_costs.sh", "mail_program")
    assert not (box.root / "opt/hpc/bin/hpc-mail").exists()


def test_mails_go_to_the_mailer_itself_without_the_key() -> None:
    accounting = {"accounts": {"lab": {"budget": {"monthly": 100}}}}
    settings = {"MailProg": "/usr/local/bin/mailer"}
    made = boot_files(spec(slurm={"version": "24.11", "accounting": accounting, "settings": settings}))
    assert "\nMailProg=/usr/local/bin/mailer\n" in made["common/slurm/slurm.conf"]
    assert "head/mail_program" not in made
