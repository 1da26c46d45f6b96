"""What became of findings: which is the same one on both sides."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hpc_components.preview.plan import Plan
from hpc_components.preview.resources import Resources
from hpc_components.review.document import FindingChanges, Side
from hpc_components.review.findings import finding_changes
from hpc_components.review.make import review
from hpc_components.review.render.html import render_html_review
from hpc_components.review.render.markdown import render_markdown_review
from hpc_components.review.render.text import reviews_text
from hpc_components.review.wording import finding_changed_by, places_changed
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.source import Document
from hpc_components.spec.validate import judge

TESTS = Path(__file__).parents[1]
STACKS = sorted((TESTS.parent / "stacks" / "config").glob("*.yaml"))
DESCRIPTIONS = [*sorted((TESTS / "corpus").glob("*.yaml")), *STACKS]


def plan(findings: list[dict[str, Any]], description: Any = None) -> Plan:
    total = {"hour": 1.0, "month": 730.0, "at_least": False}
    return Plan(
        stack="s", project="p", cloud="aws", cluster="c", region="r", outputs={}, resources=Resources(()),
        cost={"idle": total, "full": total, "queues": [], "lines": []}, quota=[], findings=findings,
        description=None if description is None else {"value": description, "lines": {}},
    )  # fmt: skip


def compared(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> FindingChanges:
    return finding_changes(plan(before), plan(after))


def judged(description: Any) -> Plan:
    """The plan of a described cluster, as far as its findings go."""
    return plan([each.to_dict() for each in judge(Document("f", description)).findings], description)


def finding(id: str, path: str, value: Any = None, **more: Any) -> dict[str, Any]:
    return {"id": id, "level": "warning", "path": path, "value": value, "reason": "so", "remedy": "do", **more}


def queues(*names: str) -> dict[str, Any]:
    return {"queues": [{"name": name} for name in names]}


def test_findings_are_sorted_by_their_fate() -> None:
    before = [
        finding("A", "x", 1, line=3),
        finding("B", "x", 1),
        finding("C", "y"),
        finding("C", "y"),
        finding("D", "z"),
        finding("G", "y", silenced="long ago"),
    ]
    after = [
        finding("A", "x", 1, line=9),
        finding("B", "x", 2),
        finding("C", "y"),
        finding("D", "z", silenced="so"),
        finding("E", "z"),
        finding("F", "z", silenced="brought and silenced at once"),
        finding("G", "z", silenced="long ago"),
    ]
    found = compared(before, after)
    assert found.still == (after[0], after[2])
    assert [(each.before, each.after) for each in found.changed] == [(before[1], after[1])]
    assert found.silenced == (after[3], after[5])
    assert found.fixed == (before[3],)
    assert found.new == (after[4],)


def test_what_a_new_stack_silences_is_no_news() -> None:
    found = finding_changes(None, plan([finding("A", "x"), finding("B", "x", silenced="so")]))
    assert ([each["id"] for each in found.new], found.silenced) == (["A"], ())


def test_another_level_is_a_change() -> None:
    before, after = (finding("A", "budget.monthly", 500.0, level=level) for level in ("info", "warning"))
    (changed,) = compared([before], [after]).changed
    assert finding_changed_by(changed) == ("info", "warning")


def test_a_finding_follows_its_queue() -> None:
    before = plan([finding("A", "queues[0].max", 1), finding("A", "queues[1].max", 1)], queues("a", "b"))
    after = plan([finding("A", "queues[0].max", 1), finding("A", "queues[2].max", 1)], queues("c", "a", "b"))
    found = finding_changes(before, after)
    assert [each["path"] for each in found.still] == ["queues[2].max"]
    assert [each["path"] for each in found.new] == ["queues[0].max"]
    assert [each["path"] for each in found.fixed] == ["queues[0].max"]


def test_a_finding_follows_the_item_of_a_list() -> None:
    before = [finding("A", "network.ssh_from[0]", "0.0.0.0/0")]
    after = [finding("A", "network.ssh_from[0]", "::/0"), finding("A", "network.ssh_from[1]", "0.0.0.0/0")]
    found = compared(before, after)
    assert (found.still, found.new, found.fixed) == ((after[1],), (after[0],), ())
    (other,) = compared(before, after[:1]).changed
    assert finding_changed_by(other) == ("0.0.0.0/0", "::/0")


def need(path: str, total: int, *, quota: str = "L-1A", region: str = "us-east-1", **more: Any) -> dict[str, Any]:
    return finding("HPC-QTA-001", path, total, about={"service": "x", "quota": quota, "region": region}, **more)


@pytest.mark.parametrize(
    ("after", "fate"),
    [
        (need("queues[1].max", 960), "still"),
        (need("queues[1].max", 1920, remedy="words that are other ones"), "changed"),
        (need("queues[1].max", 960, level="info"), "changed"),
        (need("queues[0].max", 960, quota="L-2B"), "new"),
        (need("queues[0].max", 960, region="us-east-2"), "new"),
        (need("queues[1].max", 960, silenced="asked for"), "silenced"),
    ],
)
def test_a_quota_is_the_same_by_its_code_and_region(after: dict[str, Any], fate: str) -> None:
    found = compared([need("queues[0].max", 960)], [after])
    fates = {name: len(getattr(found, name)) for name in ("still", "changed", "new", "silenced")}
    assert fates == dict.fromkeys(fates, 0) | {fate: 1}
    assert len(found.fixed) == (fate == "new")


def test_a_plan_of_an_earlier_release_names_no_subject_so_paths_count() -> None:
    older = {key: value for key, value in need("queues[0].max", 960).items() if key != "about"}
    found = compared([older], [need("queues[0].max", 960)])
    assert (len(found.still), found.new, found.fixed) == (1, (), ())


ENDLESS = "HPC-SLM-025"
GPU = {"name": "gpu", "machine": "g5.xlarge", "max": 2}


def described(*queues: dict[str, Any]) -> dict[str, Any]:
    (file,) = (file for file in STACKS if "aws-cfd" in file.name)
    return open_stack_file(file).cluster.data | {"queues": [*queues]}


def endless(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> FindingChanges:
    """What became of the finding on queues without a time limit, and of nothing else."""

    def only(queues: list[dict[str, Any]]) -> Plan:
        found = judged(described(*queues))
        assert found.description
        return plan([each for each in found.findings if each["id"] == ENDLESS], found.description["value"])

    return finding_changes(only(before), only(after))


A, B, C = ({"name": name, "machine": "c7i.large", "max": 2} for name in "abc")
LIMITED = A | {"slurm": {"MaxTime": "7-0"}}


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ([A, B], [B, A], None),
        ([A, B], [LIMITED, B], "no longer queues.a"),
        ([A, B], [B], "no longer queues.a"),
        ([A, B], [C, A, B], "now also queues.c"),
        ([A, B], [C, B], "now also queues.c; no longer queues.a"),
    ],
)
def test_a_finding_on_several_queues_is_the_same_whichever_comes_first(
    before: list[Any], after: list[Any], words: str | None
) -> None:
    found = endless(before, after)
    assert (found.new, found.fixed) == ((), ())
    assert [places_changed(each) for each in found.changed] == ([] if words is None else [words])
    assert len(found.still) == (words is None)


def test_a_finding_on_several_queues_that_goes_is_fixed_and_one_that_comes_is_new() -> None:
    assert [each["id"] for each in endless([A], [LIMITED]).fixed] == [ENDLESS]
    assert [each["id"] for each in endless([LIMITED], [A]).new] == [ENDLESS]


def test_every_report_tells_of_places_that_came_and_went() -> None:
    old = judged(described(A, B))
    found = review(old, judged(described(GPU, B)), sides=(Side(source="main"), Side(source="topic")))
    for text in (render_markdown_review(found), reviews_text([found], 200), render_html_review([found])):
        assert "now also queues.gpu; no longer queues.a" in text


def rearranged(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The description with its queues in another order, and with a copy of one of them before the others."""
    queues = description.get("queues")
    if not isinstance(queues, list) or not all(isinstance(each, dict) for each in queues):
        return
    yield {**description, "queues": queues[::-1]}
    for each in queues:
        yield {**description, "queues": [{**copy.deepcopy(each), "name": "a-copy"}, *queues]}


@pytest.mark.parametrize("part", range(4))
def test_no_finding_is_both_new_and_fixed_where_queues_are_rearranged(part: int) -> None:
    wrong = []
    for file in DESCRIPTIONS[part::4]:
        description = open_stack_file(file).cluster.data
        for other in rearranged(description) if isinstance(description, dict) else ():
            found = finding_changes(judged(description), judged(other))
            twice = {each["id"] for each in found.new} & {each["id"] for each in found.fixed}
            wrong += [(file.name, id) for id in twice]
    assert not wrong


def test_every_finding_on_a_quota_names_it_as_data() -> None:
    found = [each for file in DESCRIPTIONS for each in judge(open_stack_file(file).cluster).findings]
    quotas = [each for each in found if each.id.startswith("HPC-QTA-")]
    assert {each.id for each in quotas} >= {f"HPC-QTA-{number:03}" for number in range(1, 14)}
    assert [each for each in quotas if not each.about or not {"service", "quota"} <= each.about.keys()] == []
