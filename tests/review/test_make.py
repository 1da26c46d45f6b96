"""Files, findings, costs and quotas of both sides."""

from dataclasses import replace
from typing import Any

import pytest

from hpc_components.preview.plan import Plan
from hpc_components.preview.resources import Resource, Resources
from hpc_components.review.document import Side
from hpc_components.review.make import failed_review, review

SIDES = Side(source="main", commit="0" * 40), Side(source="working tree")


def total(month: float) -> dict[str, Any]:
    return {"hour": month / 730, "month": month, "at_least": False}


def cost(month: float, *queues: dict[str, Any], as_of: str = "2026-01") -> dict[str, Any]:
    lines = [{"as_of": as_of}, {"as_of": "2026-10"}]
    return {"idle": total(month), "full": total(2 * month), "queues": queues, "lines": lines}


def queue(name: str, most: int, **more: Any) -> dict[str, Any]:
    return {"queue": name, "machine": "m", "max": most, "node_hour": 2.0, "core_hour": 0.1, **more}


def quota(name: str, need: float, *, ask: bool = False, code: str | None = "L-1") -> dict[str, Any]:
    return {"service": "ec2", "code": code, "name": name, "unit": "vCPU", "need": need, "default": 5, "ask": ask}


def plan(**more: Any) -> Plan:
    given: dict[str, Any] = {
        "stack": "s", "project": "p", "cloud": "aws", "cluster": "c", "region": "r", "outputs": {},
        "resources": Resources(()), "cost": cost(1), "quota": [], "findings": [], **more,
    }  # fmt: skip
    return Plan(**given)


def file(name: str, text: str) -> Resource:
    type = "aws:s3/bucketObjectv2:BucketObjectv2"
    return Resource(urn=f"urn:{name}", type=type, name=name, inputs={"key": name, "content": text})


def finding(id: str, path: str, value: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": id, "level": "warning", "path": path, "value": value, **more}


def test_of_a_stack_that_goes_nothing_is_fixed_and_nothing_is_deleted_yet() -> None:
    gone = review(plan(findings=[finding("A", "x")]), None, sides=SIDES)
    assert gone.findings.fixed == ()
    assert any("pulumi destroy -s s" in note for note in gone.notes)


def test_costs_of_both_sides_and_queues_that_differ() -> None:
    before = cost(100, queue("same", 4), queue("more", 4), queue("gone", 2))
    after = cost(
        150, queue("same", 4), queue("more", 8), queue("new", 1, machine="n", core_hour=None), as_of="2025-05"
    )
    found = review(plan(cost=before), plan(cost=after), sides=SIDES).cost
    assert found
    assert (found.idle_before, found.idle_after) == (total(100), total(150))
    assert (found.full_before, found.full_after, found.as_of) == (total(200), total(300), "2025-05")
    told = [(each.queue, each.machine_before, each.machine_after) for each in found.queues]
    assert told == [("more", "m", "m"), ("new", None, "n"), ("gone", "m", None)]
    assert [(each.nodes_before, each.nodes_after) for each in found.queues] == [(4, 8), (None, 1), (2, None)]
    assert (found.queues[1].node_hour_after, found.queues[1].core_hour_after) == (2.0, None)


def test_quotas_needed_more_or_less_are_compared() -> None:
    before = [quota("same", 3), quota("more", 4), quota("gone", 2, code=None)]
    after = [quota("more", 6, ask=True), quota("same", 3), quota("new", 1)]
    found = review(plan(quota=before), plan(quota=after), sides=SIDES).quotas
    assert [(each.name, each.code, each.before, each.after, each.ask) for each in found] == [
        ("more", "L-1", 4, 6, True),
        ("new", "L-1", 0, 1, False),
        ("gone", "", 2, 0, False),
    ]


def test_in_another_region_quotas_are_others() -> None:
    here, there, everywhere = ({**quota("vcpus", 8, ask=True), "region": at} for at in ("a", "b", None))
    found = review(plan(quota=[here]), plan(quota=[there]), sides=SIDES).quotas
    assert [(each.region, each.before, each.after) for each in found] == [("b", 0, 8), ("a", 8, 0)]
    assert review(plan(quota=[everywhere]), plan(quota=[everywhere]), sides=SIDES).quotas == ()
    of_an_earlier_release = [quota("vcpus", 8, ask=True)]
    assert review(plan(quota=of_an_earlier_release), plan(quota=[there]), sides=SIDES).quotas == ()


def test_slurm_conf_comes_first_among_files_that_differ() -> None:
    before = Resources([file("a", "1"), file("common/slurm/slurm.conf", "x"), file("same", "s"), file("gone", "g")])
    after = Resources([file("a", "2"), file("common/slurm/slurm.conf", "y"), file("same", "s"), file("new", "n")])
    found = review(plan(resources=before), plan(resources=after), sides=SIDES).files
    assert [(each.name, each.before, each.after) for each in found] == [
        ("common/slurm/slurm.conf", "x", "y"),
        ("a", "1", "2"),
        ("gone", "g", ""),
        ("new", "", "n"),
    ]


def test_the_review_is_of_the_newer_cluster() -> None:
    described = {"value": {"name": "c"}, "lines": {"name": 1}}
    one, other = plan(cluster="was", description=described), plan(description={**described, "value": {"name": "d"}})
    found = review(one, other, sides=SIDES)
    assert (found.stack, found.project, found.cloud, found.cluster, found.region) == ("s", "p", "aws", "c", "r")
    assert (found.before, found.after) == SIDES
    assert [(each.path, each.before, each.after) for each in found.description] == [("name", "c", "d")]
    assert review(one, None, sides=SIDES).cluster == "was"
    assert review(one, replace(other, description=None), sides=SIDES).description == ()
    with pytest.raises(ValueError, match="a review needs a plan for at least one side"):
        review(None, None, sides=SIDES)


def test_a_failure_says_nothing_else() -> None:
    found = failed_review("s", "p", "it fails", sides=SIDES)
    assert (found.failure, found.changes, found.cost, found.worst) == ("it fails", (), None, None)
    assert found.to_dict()["failure"] == "it fails"
