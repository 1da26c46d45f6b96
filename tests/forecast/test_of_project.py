"""The forecast for a project's own file of jobs, in plans and reviews."""

import json
from pathlib import Path

import pytest

from hpc_components.forecast.jobs import JobFileError
from hpc_components.forecast.of_project import forecast_of_project
from hpc_components.preview.stack import plan_file
from hpc_components.review.cost import cost_change
from hpc_components.review.cost_and_quota_tables import cost_differs, totals_table
from hpc_components.spec.project import find_project
from tests.cli.running import hpc
from tests.rehearse.setups import changed

HERE = Path(__file__).parent
STACK = HERE.parents[1] / "stacks/config/Pulumi.aws-dev.yaml"
KEY = "hpc:forecast"
DEV = changed("aws-dev")


def test_the_jobs_of_the_project_are_replayed() -> None:
    found = forecast_of_project({KEY: {"jobs": "hpc2n.swf"}}, HERE, "dev", DEV)
    assert found is not None
    assert (found["jobs"], found["ran"] + found["refused"]) == ("hpc2n.swf", 150)
    assert found["month"] > 0
    assert 0 < found["median_wait"] <= found["p90_wait"]


def test_without_a_file_of_jobs_nothing_is_forecast() -> None:
    assert forecast_of_project({}, HERE, "dev", DEV) is None


@pytest.mark.parametrize("value", ["jobs.txt", {"file": "jobs.txt"}, {"jobs": 1}, {}])
def test_a_wrong_value_is_refused(value: object) -> None:
    with pytest.raises(JobFileError, match=r"write hpc:forecast: \{jobs: jobs\.txt\}"):
        forecast_of_project({KEY: value}, HERE, "dev", DEV)


def test_a_file_outside_of_the_project_is_refused(tmp_path: Path) -> None:
    for path in ("../jobs.txt", "/etc/passwd"):
        with pytest.raises(JobFileError, match="outside of the project"):
            forecast_of_project({KEY: {"jobs": path}}, tmp_path, "dev", DEV)


def test_a_missing_file_of_jobs_leaves_the_rest_of_the_plan(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    text = STACK.read_text()
    (tmp_path / "Pulumi.dev.yaml").write_text(text.replace("config:", f"config:\n  {KEY}: {{jobs: jobs.swf}}", 1))
    project = find_project(tmp_path)
    plan = plan_file(project, project.open("dev"), with_forecast=True).plan
    assert plan is not None
    assert plan.cost["idle"]["month"] > 0
    assert "jobs.swf" in plan.cost["forecast"]["problem"]
    change = cost_change({**plan.cost, "forecast": None}, plan.cost)
    (row,) = [row for row in totals_table(change).rows if "forecast" in row[0].text]
    assert row[0].text == f"no forecast after the change: {plan.cost['forecast']['problem']}"


def test_only_plan_files_for_reviews_have_a_forecast(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    (tmp_path / "jobs.swf").write_bytes((HERE / "hpc2n.swf").read_bytes())
    text = STACK.read_text()
    (tmp_path / "Pulumi.dev.yaml").write_text(text.replace("config:", f"config:\n  {KEY}: {{jobs: jobs.swf}}", 1))
    plan = json.loads(hpc("preview", "dev", "--format", "json", cwd=tmp_path).stdout)
    assert plan["cost"]["forecast"]["ran"] > 0
    (tmp_path / "jobs.swf").write_text("not jobs")
    for command in (("preview", "dev", "--format", "markdown"), ("cost", "dev", "--format", "json")):
        assert "jobs.swf" not in hpc(*command, cwd=tmp_path).stdout


def test_a_review_shows_the_costs_of_the_same_jobs(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\n")
    (tmp_path / "jobs.swf").write_bytes((HERE / "hpc2n.swf").read_bytes())
    text = STACK.read_text()
    costs = []
    for words in ("max: 4", "max: 16"):
        file = tmp_path / "Pulumi.dev.yaml"
        file.write_text(text.replace("config:", f"config:\n  {KEY}: {{jobs: jobs.swf}}", 1).replace("max: 4", words))
        project = find_project(tmp_path)
        plan = plan_file(project, project.open("dev"), with_forecast=True).plan
        assert plan is not None
        costs.append(plan.cost)
    before, after = (cost["forecast"] for cost in costs)
    assert before["median_wait"] > after["median_wait"]
    change = cost_change(costs[0], costs[1])
    assert cost_differs(change)
    rows = {row[0].text: [cell.text for cell in row[1:]] for row in totals_table(change).rows}
    months = rows["jobs of jobs.swf, month"]
    assert months[:2] == [f"{side['month']:,.2f}" for side in (before, after)]
    assert rows["  jobs that can't run"] == [f"{before['refused']}", "0", ""]
    assert not [row for row in totals_table(cost_change(costs[0], costs[0])).rows if "jobs" in row[0].text]
