"""`hpc cost`."""

import json

import pytest

from tests.cli.running import error, hpc


def test_prices_are_shown_by_node_core_and_month() -> None:
    done = hpc("cost", "aws-cfd")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["compute-queue", "0", "to", "16", "×", "hpc6a.48xlarge", "2.880", "0.0300"] in rows
    assert "GPU-hour" not in done.stdout
    assert "at these hours" not in done.stdout


def test_hours_can_be_given_for_one_queue_and_all_others() -> None:
    done = hpc("cost", "aws-cfd", "--hours-per-month", "160", "--hours-per-month", "spot=20")
    rows = {line.split()[0]: line.split()[-2] for line in done.stdout.splitlines() if " × " in line}
    assert rows == {"compute-queue": "160", "spot": "20"}
    document = json.loads(hpc("cost", "aws-cfd", "--hours-per-month", "160", "--format", "json").stdout)
    assert f"{document['month']:,.2f}" in hpc("cost", "aws-cfd", "--hours-per-month", "160").stdout
    assert document["month"] == pytest.approx(
        document["standing_month"] + sum(queue["month"] for queue in document["queues"]), abs=0.01
    )


def test_gpu_hours_and_the_budget_are_shown() -> None:
    said = hpc("cost", "azure-nd", "--hours-per-month", "100").stdout
    assert "GPU-hour" in said
    assert "budget 150,000 USD a month: " in said


@pytest.mark.parametrize("hours", ["much", "-1", "745", "gpu=", "nan"])
def test_wrong_hours_per_month_are_refused(hours: str) -> None:
    done = hpc("cost", "aws-cfd", "--hours-per-month", hours)
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not a number of hours between 0 and 744" in done.stderr


def test_a_variable_without_the_queue_s_name_is_not_taken_for_all_queues() -> None:
    done = hpc("cost", "aws-cfd", "--hours-per-month", "=40")
    assert (done.returncode, done.stdout) == (2, "")
    assert "'=40' has no queue name before the =" in done.stderr


def test_an_unknown_queue_is_refused() -> None:
    said = error("cost", "aws-cfd", "--hours-per-month", "gpu=10")
    assert "--hours-per-month: there is no queue 'gpu'; the queues are compute-queue, spot" in said


def test_a_budget_buys_node_hours_after_what_always_runs() -> None:
    document = json.loads(hpc("cost", "aws-cfd", "--buys", "4000", "--format", "json").stdout)
    buys = document["buys"]
    assert buys["left"] == pytest.approx(4000 - document["idle_month"])
    queue = next(each for each in buys["queues"] if each["queue"] == "compute-queue")
    assert queue["core_hours"] == pytest.approx(96 * queue["node_hours"], rel=0.01)
    hours = queue["node_hours"] / 16
    usage = hpc("cost", "aws-cfd", "--hours-per-month", f"compute-queue={hours}", "--format", "json").stdout
    assert json.loads(usage)["month"] == pytest.approx(4000, abs=5), "so many hours of all nodes cost that"
    said = hpc("cost", "aws-cfd", "--buys", "4000").stdout
    assert f"{queue['node_hours']:,.0f}" in said


def test_a_budget_buys_no_more_than_a_queue_can_run() -> None:
    document = json.loads(hpc("cost", "aws-cfd", "--buys", "900000000", "--format", "json").stdout)
    bought = {each["queue"]: each for each in document["buys"]["queues"]}
    for queue in document["queues"]:
        found = bought[queue["queue"]]
        assert found["node_hours"] == 730 * (queue["max"] - queue["min"])
        assert found["all"]
    said = hpc("cost", "aws-cfd", "--buys", "900000000").stdout
    assert "All nodes run all month for less in: compute-queue, spot" in said
    assert "run all month" not in hpc("cost", "aws-cfd", "--buys", "4000").stdout


def test_a_budget_below_the_idle_cost_buys_nothing() -> None:
    said = hpc("cost", "aws-cfd", "--buys", "1").stdout
    assert "buy no node-hours" in said
