"""What becomes of resources that differ, and what that means, by a table of a few records."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hpc_components.catalog.by_kind import RecordsByKind
from hpc_components.preview.resources import UNKNOWN, Resource, Resources
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import Change, Operation
from hpc_components.review.judge import judge
from hpc_components.review.table import ChangeTable
from hpc_components.review.wording import effect_sentence

DISK, MACHINE, FILE, NET = "t:m:Disk", "t:m:Machine", "t:m:File", "t:m:Net"


def of_input(type: str, property: str, action: str, effect: str = "", **more: Any) -> dict[str, Any]:
    given = {"kind": "property", "type": type, "property": property, "action": action, **more}
    return given | ({"effect": effect} if effect else {})


def of_resource(type: str, op: str, effect: str, **more: Any) -> dict[str, Any]:
    return {"kind": "resource", "type": type, "op": op, "effect": effect, **more}


RECORDS = [
    of_resource(DISK, "delete", "data_lost", words="It is empty.", remedy="Copy."),
    of_input(DISK, "size", "update", "live", when="grows"),
    of_input(DISK, "size", "refused", when="shrinks", words="Never."),
    of_input(DISK, "zone", "replace", source="disk.go"),
    of_input(DISK, "link", "replace", when="removed"),
    of_input(DISK, "link", "update", "files_away"),
    of_input(DISK, "key", "replace"),
    of_input(DISK, "export", "update", "live"),
    of_input(DISK, "export", "kept", when="removed", words="It goes on.", remedy="Link it again."),
    of_input(DISK, "parts", "update", "live"),
    {"kind": "kept", "type": DISK, "properties": ["key", "parts", "parts.first"], "source": "disk.go"},
    of_input(DISK, "guard", "update", "access"),
    {"kind": "kept", "type": DISK, "properties": ["guard"], "source": "a question", "unsure": ["properties"]},
    of_input(DISK, "mood", "unknown"),
    of_input(NET, "*", "replace"),
    of_resource(NET, "replace", "nodes_end"),
    of_input(MACHINE, "cards.net", "replace"),
    of_input(MACHINE, "cards", "update", "access"),
    of_input(MACHINE, "tags", "update", "live"),
    of_input(MACHINE, "friends", "update", "nodes_end"),
    of_input(MACHINE, "friends", "update", "access", when="more"),
    of_input(MACHINE, "*", "update", "new_nodes"),
    of_input(MACHINE, "size", "update", "head_restarts", within="Head"),
    of_resource(MACHINE, "replace", "nodes_end"),
    of_resource(MACHINE, "replace", "head_replaced", within="Head"),
    of_resource(MACHINE, "create", "access"),
    of_resource(FILE, "forget", "new_nodes", words="It is left empty."),
    of_input(FILE, "*", "update", "live", name_like="head/*"),
    of_input(FILE, "*", "update", "slurmctld_restarts", name_like="head/slurm*"),
]


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> ChangeTable:
    folder = tmp_path_factory.mktemp("plan")
    (folder / "data").mkdir()
    (folder / "data" / "changes.json").write_text(json.dumps(RECORDS))
    return ChangeTable(RecordsByKind("changes", str(folder / "__init__.py")))


def made(type: str, name: str = "a", parent: Resource | None = None, **more: Any) -> Resource:
    given = {key: more.pop(key) for key in list(more) if key not in Resource.__dataclass_fields__}
    return Resource(
        urn=f"urn:pulumi:s::p::{type}::{name}",
        type=type,
        name=name,
        parent=parent.urn if parent else None,
        inputs=given,
        **more,
    )


def taking(sources: dict[str, Resource]) -> dict[str, Any]:
    return {"property_dependencies": {key: (source.urn,) for key, source in sources.items()}}


def one(table: ChangeTable, before: list[Resource], after: list[Resource]) -> Change:
    (change,) = judge(Resources(before), Resources(after), table)
    return change


def said(change: Change) -> tuple[str, str]:
    return str(change.operation), str(change.effect)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"size": 1}, {"size": 2}, ("update", "live")),
        ({"size": 2}, {"size": 1}, ("update", "refused")),
        ({"size": "9"}, {"size": "10"}, ("update", "live")),
        ({"size": "10"}, {"size": "9"}, ("update", "refused")),
        ({"size": 2}, {"size": UNKNOWN}, ("update", "unknown")),
        ({"zone": "a"}, {"zone": "b"}, ("replace", "data_lost")),
        ({"size": 2, "zone": "a"}, {"size": 1, "zone": "b"}, ("replace", "data_lost")),
        ({"link": {"to": "x"}}, {"link": {"to": "y"}}, ("update", "files_away")),
        ({"link": {"to": "x"}}, {"link": {}}, ("update", "files_away")),
        ({"link": {"to": "x"}}, {}, ("replace", "data_lost")),
        ({"mood": 1}, {"mood": 2}, ("update", "unknown")),
        ({"colour": 1}, {"colour": 2}, ("update", "unknown")),
        ({"size": 1, "colour": 1}, {"size": 2, "colour": 2}, ("update", "unknown")),
    ],
)
def test_an_input_that_differs_is_judged_by_the_table(
    table: ChangeTable, before: dict[str, Any], after: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert said(one(table, [made(DISK, **before)], [made(DISK, **after)])) == expected


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ({"key": "a"}, {}, ("keep", "kept")),
        ({"key": "a"}, {"key": "b"}, ("replace", "data_lost")),
        ({}, {"key": "b"}, ("replace", "data_lost")),
        ({"key": "a", "size": 1}, {"size": 2}, ("update", "live")),
        ({"key": "a", "zone": "a"}, {"zone": "b"}, ("replace", "data_lost")),
        ({"parts": {"first": 1, "last": 2}}, {}, ("keep", "kept")),
        ({"parts": {"first": 1, "last": 2}}, {"parts": {"last": 2}}, ("keep", "kept")),
        ({"parts": {"first": 1, "last": 2}}, {"parts": {"first": 1}}, ("update", "live")),
        ({"parts": [1, 2]}, {"parts": [1]}, ("update", "live")),
        ({"guard": "a"}, {}, ("update", "unknown")),
        ({"guard": "a"}, {"guard": "b"}, ("update", "access")),
        ({"guard": "a", "key": "a"}, {}, ("update", "unknown")),
    ],
)
def test_what_a_provider_keeps_when_it_is_removed(
    table: ChangeTable, before: dict[str, Any], after: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert said(one(table, [made(DISK, **before)], [made(DISK, **after)])) == expected


def test_a_value_kept_by_the_provider_is_told(table: ChangeTable) -> None:
    """Also beside an input that does change: `size`."""
    kept = one(table, [made(DISK, key="a", export="all")], [made(DISK)])
    assert kept.words == "It goes on. Although the program no longer sets key, the provider keeps the current value."
    assert (kept.remedy, [each.path for each in kept.properties]) == ("Link it again.", ["export", "key"])
    both = one(table, [made(DISK, key="a", size=1)], [made(DISK, size=2)])
    assert both.words.endswith("Although the program no longer sets key, the provider keeps the current value.")
    assert [each.path for each in both.properties] == ["key", "size"]


def test_a_value_that_a_cloud_may_keep_is_told(table: ChangeTable) -> None:
    change = one(table, [made(DISK, guard="a")], [made(DISK)])
    assert change.words.startswith("The cloud may keep the current value")
    assert change.source == "a question"


def test_a_change_has_words_remedy_and_reasons(table: ChangeTable) -> None:
    change = one(table, [made(DISK, zone="a", size=1)], [made(DISK, zone="b", size=2)])
    assert (change.words, change.remedy) == ("It is empty.", "Copy.")
    assert [(each.path, each.replaces) for each in change.properties] == [("size", False), ("zone", True)]
    assert one(table, [made(DISK, mood=1)], [made(DISK, mood=2)]).words == "The provider decides."
    assert one(table, [made(DISK, size=2)], [made(DISK, size=1)]).words == "Never."


def test_what_is_added_as_a_whole_is_judged_by_its_parts(table: ChangeTable) -> None:
    change = one(table, [made(MACHINE, cards=[])], [made(MACHINE, cards=[{"net": "x", "name": "y"}])])
    assert said(change) == ("replace", "nodes_end")
    assert said(one(table, [made(MACHINE, cards=[])], [made(MACHINE, cards=[{"name": "y"}])])) == ("update", "access")


def test_the_record_that_says_most_counts(table: ChangeTable) -> None:
    head, other = made("hpc:x:Head", "cfd", component=True), made("hpc:x:Fleet", "cfd", component=True)
    for parent, effect in ((head, "head_restarts"), (other, "new_nodes")):
        before, after = ([parent, made(MACHINE, parent=parent, size=size)] for size in (1, 2))
        assert said(one(table, before, after)) == ("update", effect)
    for name, effect in (("head/x", "live"), ("head/slurm.conf", "slurmctld_restarts"), ("x", "unknown")):
        before, after = ([head, made(FILE, f"cfd/{name}", head, text=text)] for text in "ab")
        assert said(one(table, before, after)) == ("update", effect)


def test_resources_made_and_ended_are_judged(table: ChangeTable) -> None:
    assert said(one(table, [], [made(DISK)])) == ("create", "live")
    assert said(one(table, [], [made(MACHINE)])) == ("create", "access")
    assert said(one(table, [made(DISK)], [])) == ("delete", "data_lost")
    assert said(one(table, [made(FILE)], [])) == ("delete", "unknown")


def test_what_is_retained_stays_in_the_cloud(table: ChangeTable) -> None:
    change = one(table, [made(DISK, retain=True, protect=True)], [])
    assert said(change) == ("forget", "left_behind")
    assert change.protected
    assert "is billed until" in change.words
    net, file = (one(table, [made(type, retain=True)], []) for type in (NET, FILE))
    assert (*said(net), "is billed until" in net.words) == ("forget", "live", False)
    assert (*said(file), file.words) == ("forget", "new_nodes", "It is left empty.")


def test_what_is_replaced_and_retained_leaves_its_data_behind(table: ChangeTable) -> None:
    change = one(table, [made(DISK, zone="a", retain=True)], [made(DISK, zone="b", retain=True)])
    assert said(change) == ("replace", "left_behind")
    assert (change.remains, change.remedy) == (True, "Copy.")
    assert "is billed until" in change.words


def test_what_belongs_to_a_retained_resource_stays_with_it(table: ChangeTable) -> None:
    """Source: pulumi pkg/resource/deploy/step.go, DeleteStep.Apply: the deletion is skipped."""
    disk = made(DISK, "disk", retain=True)
    net = made(NET, "net", deleted_with=disk.urn)
    _, gone = judge(Resources([disk, net]), Resources([]), table)
    assert (gone.name, *said(gone), gone.remains) == ("net", "forget", "live", True)
    assert said(one(table, [disk, net], [disk])) == ("delete", "unknown")
    before, after = ([made(DISK, "disk", zone=zone, retain=True), net] for zone in "ab")
    _, again = judge(Resources(before), Resources(after), table)
    assert (again.name, *said(again), again.because) == ("net", "replace", "live", disk.urn)


@pytest.mark.parametrize(
    ("before", "after", "stops"), [(True, True, True), (True, False, False), (False, True, False)]
)
def test_pulumi_replaces_nothing_that_stays_protected(
    table: ChangeTable, before: bool, after: bool, stops: bool
) -> None:
    change = one(table, [made(DISK, zone="a", protect=before)], [made(DISK, zone="b", protect=after)])
    assert (change.operation, change.protected) == (Operation.REPLACE, stops)


def test_a_program_may_ask_for_a_replacement(table: ChangeTable) -> None:
    before, after = (made(DISK, size=size, replace_on_changes=("size",)) for size in (1, 2))
    assert said(one(table, [before], [after])) == ("replace", "data_lost")


def test_what_takes_an_output_of_what_is_replaced_is_replaced_too(table: ChangeTable) -> None:
    def program(zone: str) -> list[Resource]:
        net = made(NET, "net", zone=zone)
        cards = [{"net": UNKNOWN, "name": "eth0"}]
        machine = made(MACHINE, "m", cards=cards, tags={"x": "y"}, **taking({"cards": net, "tags": net}))
        follower = made(NET, "follower", of=UNKNOWN, **taking({"of": machine}))
        tagged = made(MACHINE, "tagged", tags={"net": UNKNOWN, "x": "y"}, **taking({"tags": net}))
        known = made(MACHINE, "known", cards=[{"net": "net-1"}], **taking({"cards": net}))
        return [net, machine, follower, tagged, known]

    found = {change.name: change for change in judge(Resources(program("a")), Resources(program("b")), table)}
    net, machine = (made(NET, "net").urn, made(MACHINE, "m").urn)
    assert {name: (*said(change), change.because) for name, change in found.items()} == {
        "net": ("replace", "nodes_end", ""),
        "m": ("replace", "nodes_end", net),
        "follower": ("replace", "nodes_end", machine),
        "tagged": ("update", "live", net),
    }
    (reason,) = found["m"].properties
    assert (reason.path, reason.before, reason.after, reason.replaces) == ("cards[0].net", UNKNOWN, UNKNOWN, True)


def test_what_is_deleted_with_another_resource_is_replaced_with_it(table: ChangeTable) -> None:
    """Though it takes nothing of it that is unknown."""
    disk = made(DISK, zone="a"), made(DISK, zone="b")
    along = made(MACHINE, "along", colour="d", deleted_with=disk[0].urn)
    further = made(FILE, "further", text="t", deleted_with=along.urn)
    alone = made(MACHINE, "alone", colour="d")
    found = {
        change.name: change
        for change in judge(
            Resources([disk[0], along, further, alone]), Resources([disk[1], along, further, alone]), table
        )
    }
    assert found.keys() == {"a", "along", "further"}
    assert said(found["along"]) == ("replace", "nodes_end")
    assert (found["along"].because, found["along"].properties) == (disk[0].urn, ())
    assert found["further"].because == along.urn
    moved = replace(along, inputs={"size": 1})
    changed = {c.name: c for c in judge(Resources([disk[0], along]), Resources([disk[1], moved]), table)}
    assert said(changed["along"]) == ("replace", "nodes_end")
    assert changed["along"].because == disk[0].urn, "by itself it would be changed in place"


def test_what_differs_by_itself_is_replaced_with_its_cause(table: ChangeTable) -> None:
    def program(zone: str) -> list[Resource]:
        net = made(NET, "net", zone=zone)
        sources = taking({"cards": net})
        return [net, made(MACHINE, "m", size=zone, cards=[{"net": UNKNOWN}], **sources)]

    found = judge(Resources(program("a")), Resources(program("b")), table)
    (machine,) = [change for change in found if change.name == "m"]
    assert (*said(machine), machine.because) == ("replace", "nodes_end", made(NET, "net").urn)
    assert [(each.path, each.replaces) for each in machine.properties] == [("size", False), ("cards[0].net", True)]


def test_the_worst_comes_first(table: ChangeTable) -> None:
    before = [made(DISK, "z", zone="a"), made(DISK, "a", size=1), made(MACHINE, "b", size=1)]
    after = [made(DISK, "z", zone="b"), made(DISK, "a", size=2), made(MACHINE, "b", size=2)]
    found = judge(Resources(before), Resources(after), table)
    assert [change.effect for change in found] == [Effect.DATA_LOST, Effect.NEW_NODES, Effect.LIVE]


def test_without_a_table_nothing_is_known() -> None:
    change = one(ChangeTable(None), [made(DISK, size=1)], [made(DISK, size=2)])
    assert (*said(change), change.words) == ("update", "unknown", "The provider decides.")


def test_a_word_that_the_table_does_not_have_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    wrong = [{"kind": "property", "type": DISK, "property": "size", "when": "sometimes", "action": "update"}]
    (tmp_path / "data" / "changes.json").write_text(json.dumps(wrong))
    table = ChangeTable(RecordsByKind("changes", str(tmp_path / "__init__.py")))
    with pytest.raises(ValueError, match="sometimes"):
        one(table, [made(DISK, size=1)], [made(DISK, size=2)])


@pytest.mark.parametrize(
    ("option", "effect"), [("protect", Effect.UNPROTECTED), ("retain", Effect.LIVE)], ids=["protect", "retain"]
)
def test_what_pulumi_no_longer_keeps_is_told(table: ChangeTable, option: str, effect: Effect) -> None:
    kept, loose = made(DISK, size=1, **{option: True}), made(DISK, size=1)
    lifted = one(table, [kept], [loose])
    assert (lifted.operation, lifted.effect, "destroy" in effect_sentence(lifted)) == (
        Operation.UNPROTECT, effect, True,
    )  # fmt: skip
    assert judge(Resources([loose]), Resources([kept]), table) == ()


def test_protection_counts_beside_a_change_unless_that_is_worse(table: ChangeTable) -> None:
    before, moved, grown = (
        made(DISK, protect=True, **each)
        for each in ({"size": 1, "zone": "a"}, {"size": 1, "zone": "b"}, {"size": 2, "zone": "a"})
    )
    found = [one(table, [before], [replace(each, protect=False)]) for each in (moved, grown)]
    assert [(each.operation, each.effect) for each in found] == [
        (Operation.REPLACE, Effect.DATA_LOST), (Operation.UPDATE, Effect.UNPROTECTED),
    ]  # fmt: skip


def test_protection_that_is_taken_off_is_said_beside_what_is_worse(table: ChangeTable) -> None:
    before, after = made(DISK, link="a", protect=True), made(DISK, link="b")
    found = one(table, [before], [after])
    assert (found.operation, found.effect) == (Operation.UPDATE, Effect.FILES_AWAY)
    assert found.words.startswith(effect_sentence(replace(found, words="")).removesuffix("."))
    assert "`pulumi destroy` deletes it" in found.words
    assert "destroy" not in one(table, [before], [replace(after, protect=True)]).words


@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        (["a"], ["a", "b"], "access"),
        (["a", "b"], ["a"], "nodes_end"),
        (["a"], ["b"], "nodes_end"),
        (None, ["a"], "nodes_end"),
    ],
    ids=["one more", "one less", "another", "the first"],
)
def test_a_list_that_only_grows_may_mean_something_else(
    table: ChangeTable, before: list[str] | None, after: list[str], effect: str
) -> None:
    sides = (made(MACHINE, **({"friends": each} if each else {})) for each in (before, after))
    assert said(one(table, *([each] for each in sides))) == ("update", effect)
