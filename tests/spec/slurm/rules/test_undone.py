"""Settings that undo the description: every record of the table, and legal values beside them."""

from typing import Any

import pytest

from hpc_components.catalog._load import records
from hpc_components.spec import slurm
from hpc_components.spec.slurm.keys import slurm_key
from hpc_components.spec.slurm.ownership import OWNED, OWNED_OF_PARTITIONS
from hpc_components.spec.slurm.rules.undone import PROMISES

from ...rules.judged import problems, queue

RULE = "HPC-SLM-040"
RECORDS = records("undone", slurm.__file__)
NUMBERS = {"all_nodes": 4, "longest_job": 14 * 1440, "most_cpus": 16, "spot_notice": 120}
ACCOUNTING = {
    "qos": {"fast": {"priority": 10}},
    "accounts": {"cfd": {"users": ["alice"], "fairshare": 3, "qos": ["normal", "fast"]}},
}


def value_of(record: dict[str, Any]) -> str | int:
    """A value that the record is about."""
    if words := record.get("is", record.get("has")):
        return words[0]
    bound = record.get("below", record.get("above"))
    number = NUMBERS.get(bound, bound) + (-1 if "below" in record else 1)
    return f"{record['parameter']}={number}" if "parameter" in record else number


def found(scope: str, settings: dict[str, Any], **changes: Any) -> list[str]:
    """What is said of settings, in a cluster that makes every promise."""
    own = settings if scope == "partition" else {}
    promised = {"MaxTime": "14-0", "PriorityJobFactor": 10}
    usual = {
        "queues": [queue(slurm=promised | own, purchase="spot", fabric=False, placement="none")],
        "slurm": {"accounting": ACCOUNTING, "settings": settings if scope == "global" else {}},
    }
    return [problem.reason for problem in problems(RULE, **usual | changes)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: f"{one['name']}-{one['beside']}-{value_of(one)}")
def test_each_record_is_found_and_its_remedy_ends_it(record: dict[str, Any]) -> None:
    (reason,) = found(record["kind"], {record["name"]: value_of(record)})
    assert "{" not in reason
    if "instead" in record:
        assert found(record["kind"], {record["name"]: record["instead"]}) == []
    assert found(record["kind"], {}) == []


@pytest.mark.parametrize("record", RECORDS, ids=lambda one: f"{one['name']}-{one['beside']}-{value_of(one)}")
def test_each_record_is_of_a_key_that_users_may_set(record: dict[str, Any]) -> None:
    assert slurm_key(record["kind"], record["name"])
    assert record["name"] not in (OWNED if record["kind"] == "global" else OWNED_OF_PARTITIONS)
    assert record["beside"] in PROMISES
    assert record["source"]


@pytest.mark.parametrize(
    "settings",
    [
        {"PriorityType": "priority/multifactor"},
        {"PriorityWeightFairshare": 1},
        {"SelectTypeParameters": "CR_CPU_Memory,CR_CORE_DEFAULT_DIST_BLOCK"},
        {"SelectTypeParameters": "CR_Socket_Memory"},
        {"SchedulerType": "sched/backfill"},
        {"SchedulerParameters": "bf_window=43200,bf_max_job_test=100,defer"},
        {"SlurmdTimeout": 300},
        {"BatchStartTimeout": 60},
        {"MessageTimeout": 60},
        {"MaxJobCount": 1000},
        {"MaxTasksPerNode": 512},
        {"KillWait": 60},
        {"OverTimeLimit": 10},
        {"EnforcePartLimits": "ANY"},
        {"MinJobAge": 3600},
        {"CommunicationParameters": "EnableIPv6"},
    ],
)
def test_usual_values_are_right(settings: dict[str, Any]) -> None:
    assert found("global", settings) == []


@pytest.mark.parametrize(
    ("settings", "changes"),
    [
        ({"PriorityType": "priority/basic"}, {"accounting": {"accounts": {"cfd": {"users": ["alice"]}}}}),
        ({"SelectTypeParameters": "CR_Core"}, {"slurm": {"OverSubscribe": "EXCLUSIVE"}}),
        ({"SlurmdTimeout": 7200}, {"requeue": False}),
        ({"KillWait": 900}, {"purchase": "on_demand"}),
        ({"OverTimeLimit": "UNLIMITED"}, {"slurm": {}}),
    ],
)
def test_nothing_is_undone_that_is_not_described(settings: dict[str, Any], changes: dict[str, Any]) -> None:
    accounting = changes.pop("accounting", {})
    cluster = {"queues": [queue(**changes)], "slurm": {"accounting": accounting, "settings": settings}}
    assert [problem.reason for problem in problems(RULE, **cluster)] == []
