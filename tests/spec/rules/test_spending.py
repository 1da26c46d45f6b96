from typing import Any

import pytest

from hpc_components.spec.findings import Level
from tests.spec.rules.judged import levels, paths, problems, queue

TIMED = {"slurm": {"DefaultTime": "60"}}
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"


def budgets(
    *, qos: dict[str, Any] | None = None, settings: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """`slurm` of a cluster whose account has a budget."""
    accounts = {"lab": {"users": ["ada"], "budget": {"monthly": 100}}}
    return {"accounting": {"accounts": accounts, "qos": qos or {}, **more}, "settings": settings or {}}


@pytest.mark.parametrize(("slurm", "own", "found"), [
    (budgets(), {}, ["queues[0]"]),
    (budgets(), {"slurm": {"MaxTime": "2-0"}}, []),
    (budgets(), {"slurm": {"MaxTime": "2-0", "DefaultTime": "INFINITE"}}, ["queues[0]"]),
    (budgets(qos={"normal": {"max_wall": "2d"}}), {}, []),
    (budgets(qos={"short": {"max_wall": "2d"}}), {}, ["queues[0]"]),
    (budgets(qos={"short": {"max_wall": "2d"}}), {"qos": "short"}, []),
    (budgets(at_limit="end"), {}, []),
    ({"accounting": {"accounts": {"lab": {}}}}, {}, []),
])  # fmt: skip
def test_a_queue_without_time_limit_is_refused_with_budgets(
    slurm: Any, own: dict[str, Any], found: list[str]
) -> None:
    assert paths("HPC-PAY-006", slurm=slurm, queues=[queue(**own)]) == found


@pytest.mark.parametrize(("settings", "refused"), [
    ({"PriorityFlags": "MAX_TRES,SMALL_RELATIVE_TO_TIME"}, False),
    ({"PriorityFlags": "SMALL_RELATIVE_TO_TIME"}, True),
    ({"AccountingStorageEnforce": "nojobs"}, True),
    ({"AccountingStorageEnforce": "wckeys"}, False),
    ({"priorityusageresetperiod": "DAILY"}, True),
    ({"OverTimeLimit": 10}, True),
    ({"PriorityWeightAge": 5}, False),
])  # fmt: skip
def test_a_setting_against_budgets_is_refused(settings: dict[str, Any], refused: bool) -> None:
    assert bool(paths("HPC-PAY-008", slurm=budgets(settings=settings))) is refused
    assert paths("HPC-PAY-008", slurm={"settings": settings}) == []


@pytest.mark.parametrize(("at_limit", "refused"), [("end", True), ("finish", False)])
def test_safe_limits_are_refused_where_jobs_end_at_limits(at_limit: str, refused: bool) -> None:
    own = budgets(settings={"AccountingStorageEnforce": "safe"}, at_limit=at_limit)
    assert bool(paths("HPC-PAY-008", slurm=own)) is refused


def test_weights_of_a_queue_are_refused_with_budgets() -> None:
    own = [queue(slurm={"TRESBillingWeights": "CPU=1"})]
    assert paths("HPC-PAY-008", slurm=budgets(), queues=own) == ["queues[0].slurm.TRESBillingWeights"]


def test_a_person_needs_one_account() -> None:
    user = {"uid": 2001, "keys": [KEY], "budget": {"monthly": 10}}
    people = {"users": {"ada": user}}
    accounts = {"lab": {"users": ["ada"]}, "web": {"users": ["ada"]}}
    (both,) = problems("HPC-PAY-003", people=people, slurm={"accounting": {"accounts": accounts}})
    assert "lab, web" in both.reason
    (none,) = problems("HPC-PAY-003", people=people, slurm={"accounting": {"accounts": {"lab": {}}}})
    assert "no account" in none.reason
    assert not problems("HPC-PAY-003", people=people, slurm={"accounting": {"accounts": {"lab": {"users": ["ada"]}}}})


@pytest.mark.parametrize(("above", "below", "found"), [
    ({"monthly": 100}, {"monthly": 200}, True),
    ({"monthly": 100}, {"monthly": 100}, False),
    ({"total": 100}, {"monthly": 200}, False),
    ({"total": 100}, {"total": 101}, True),
])  # fmt: skip
def test_budgets_above_are_compared_by_period(above: Any, below: Any, found: bool) -> None:
    accounts = {"all": {"budget": above}, "mid": {"parent": "all"}, "lab": {"parent": "mid", "budget": below}}
    assert bool(paths("HPC-PAY-007", slurm={"accounting": {"accounts": accounts}})) is found


def test_a_person_should_not_have_more_than_the_account() -> None:
    people = {"users": {"ada": {"uid": 2001, "keys": [KEY], "budget": {"monthly": 101}}}}
    assert paths("HPC-PAY-007", people=people, slurm=budgets()) == ["people.users.ada.budget"]


def test_a_rate_of_an_unused_machine_is_a_warning() -> None:
    rates = {"rates": {"c7i.8xlarge": 1.0, "c7i.4xlarge": -1.0}}
    assert paths("HPC-PAY-010", billing=rates) == ["billing.rates.c7i.8xlarge", "billing.rates.c7i.4xlarge"]
    assert levels("HPC-PAY-010", billing=rates) == [Level.WARNING, Level.ERROR]


def test_a_rate_replaces_an_unknown_price() -> None:
    block = queue(machine="p5.48xlarge", purchase={"capacity_block": "cr-0123456789abcdef0"}, **TIMED)
    assert paths("HPC-PAY-004", slurm=budgets(), queues=[block]) == ["queues[0].machine"]
    assert paths("HPC-PAY-004", slurm=budgets(), queues=[block], billing={"rates": {"p5.48xlarge": 31.5}}) == []
    estimates = {"accounting": {"cost_estimates": True}}
    assert paths("HPC-PAY-004", slurm=estimates, queues=[block]) == ["queues[0].machine"]
    assert paths("HPC-PAY-004", queues=[block]) == []
