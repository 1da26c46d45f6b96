"""The words of a report, its outline and its figures."""

from dataclasses import replace

import pytest

from hpc_components.preview.resources import SECRET, UNKNOWN
from hpc_components.review.change_effects import Effect
from hpc_components.review.changes_by_component import by_kind, groups, inputs, outline_of
from hpc_components.review.cost_and_quota_tables import key_figures, queues_table, quotas_table, totals_table
from hpc_components.review.document import (
    ABSENT,
    ChangedFinding,
    FileChange,
    FindingChanges,
    Operation,
    PropertyChange,
    Side,
)
from hpc_components.review.headline import verdict
from hpc_components.review.render.diffs import diffs_of, text_note
from hpc_components.review.side_labels import command
from hpc_components.review.wording import (
    Urgency,
    changed_by,
    done,
    effect_sentence,
    effect_words,
    kind_of,
    means,
    named,
    stops,
    urgency,
    urgency_of,
)
from tests.review.reviews import (
    FLEET,
    REVIEWS,
    TEMPLATE,
    change,
    data_lost,
    large,
    live_update,
    new_nodes_only,
    new_stack,
    nothing_changes,
    prop,
    review,
    slurm_conf_object,
    texts,
    total,
    urn,
)


def template(name: str, operation: Operation = Operation.UPDATE, effect: Effect = Effect.LIVE, **more: object):
    return change(operation, effect, FLEET, "cfd-a", TEMPLATE, name, **more)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("nothing", "nothing changes"),
        ("live", "queue compute may grow to 32 nodes (16 before); nothing that is running is affected "
                 "(2 files to change)"),
        ("data_lost", "data on cfd-scratch is lost; nodes end; queue spot is removed: drain it first; "
                      "queue gpu is new (1 resource to replace, 1 to delete, 1 to change, 1 to create, 1 file to "
                      "change); Pulumi stops at 1 protected resource; 1 error"),
        ("refused", "the cloud refuses the change to cfd-scratch; the provider decides what happens to cfd-head "
                    "(1 resource to leave in the cloud, 2 to change)"),
        ("new_stack", "a new stack (3 resources to create)"),
        ("stack_gone", "the stack is removed; data on cfd-scratch is lost (3 resources to delete)"),
        ("failure", "this change could not be reviewed"),
        ("large", "nodes end; queue queue-000 may grow to 32 nodes (16 before); queue queue-001 may grow to 32 nodes "
                  "(16 before); 198 more changes of queues (200 resources to replace, 1 file to change)"),
    ],
)  # fmt: skip
def test_each_review_has_its_verdict(name: str, said: str) -> None:
    assert verdict(REVIEWS[name]()) == said


def test_a_file_with_another_text_is_changed_whatever_its_provider_does() -> None:
    files = [replace(slurm_conf_object(), operation=operation) for operation in (Operation.REPLACE, Operation.DELETE)]
    assert verdict(review(changes=tuple(files))).endswith(" (1 file to delete, 1 to change)")
    assert [done(file) for file in files] == ["changed", "deleted"]


def test_what_a_new_stack_lets_somebody_do_is_no_change_of_access() -> None:
    made = review(changes=(template("a", Operation.CREATE, Effect.ACCESS),), cost=new_stack().cost)
    assert verdict(made) == "a new stack (1 resource to create)"


def test_what_ends_is_not_for_new_nodes() -> None:
    assert means(template("a", Operation.UPDATE, Effect.NEW_NODES)) == "new nodes only"
    assert means(template("a", Operation.DELETE, Effect.NEW_NODES)) == "no longer applies to new nodes"


@pytest.mark.parametrize(
    ("type", "kind"),
    [
        ("aws:ec2/launchTemplate:LaunchTemplate", "LaunchTemplate"),
        ("gcp:lustre/instance:Instance", "lustre Instance"),
        ("pulumi:providers:aws", "aws provider"),
        ("hpc:aws:Vpc", "Vpc"),
    ],
)
def test_a_kind_says_what_it_is(type: str, kind: str) -> None:
    assert kind_of(type) == kind
    assert named(f"urn:pulumi:s::p::hpc:aws:Vpc${type}::n") == (kind, "n")


@pytest.mark.parametrize("effect", Effect)
def test_every_effect_has_words(effect: Effect) -> None:
    assert effect_words(effect)
    assert effect_sentence(template("a", effect=effect)).endswith(".")
    assert effect_sentence(template("a", effect=effect, words="As it is.")) == "As it is."


def test_a_change_has_the_urgency_of_its_effect() -> None:
    assert urgency_of(template("a", effect=Effect.SESSIONS_CUT)) is Urgency.ALARM
    assert urgency_of(template("a", effect=Effect.ACCESS)) is Urgency.LOOK
    assert urgency_of(template("a", effect=Effect.NEW_NODES)) is Urgency.FINE
    assert urgency_of(template("a", Operation.FORGET)) is Urgency.LOOK
    held = template("a", Operation.DELETE, protected=True)
    assert stops(held)
    assert stops(replace(held, operation=Operation.FORGET)), "Pulumi looks at the protection before the retention"
    assert urgency_of(held) is Urgency.ALARM
    assert not stops(template("a", protected=True))
    assert urgency(REVIEWS["failure"]()) is Urgency.ALARM
    assert urgency(nothing_changes()) is Urgency.FINE


@pytest.mark.parametrize(
    ("fate", "is_told"), [("new", True), ("now", True), ("still", False), ("fixed", False), ("silenced", False)]
)
def test_an_error_that_may_be_of_this_change_is_an_alarm(fate: str, is_told: bool) -> None:
    found = review(findings=FindingChanges(**{fate: ({"level": "error"}, {"level": "warning"})}))
    assert urgency(found) is (Urgency.ALARM if is_told else Urgency.FINE)
    assert verdict(found) == "nothing changes" + "; 1 error" * is_told


def test_a_warning_that_becomes_an_error_is_an_alarm() -> None:
    warning, error = {"level": "warning"}, {"level": "error"}
    found = review(findings=FindingChanges(changed=(ChangedFinding(before=warning, after=error),)))
    assert urgency(found) is Urgency.ALARM
    same = review(findings=FindingChanges(changed=(ChangedFinding(before=error, after=error),)))
    assert urgency(same) is Urgency.FINE


def test_what_a_reader_must_know_is_no_all_clear() -> None:
    noted = review(notes=("An update was interrupted.",))
    assert (verdict(noted), urgency(noted)) == ("nothing changes, but see below", Urgency.LOOK)


def test_values_are_written_on_one_line() -> None:
    assert changed_by(16, "32") == ("16", "32")
    assert changed_by(60000.0, 0.5) == ("60000", "0.5")
    assert changed_by(SECRET, ABSENT) == ("(secret)", "(none)")
    assert changed_by("", UNKNOWN) == ('""', "(unknown)")
    assert changed_by({"b": 1, "a": [True]}, None) == ('{"a": [true], "b": 1}', "null")
    assert changed_by({"b": 1, "a": [True]}, 1, as_yaml=True) == ("{b: 1, a: [true]}", "1")


def test_of_long_values_the_difference_is_shown() -> None:
    before, after = changed_by("x" * 500 + "one" + "y" * 500, "x" * 500 + "other" + "y" * 500)
    assert before.startswith("…" + "x" * 19 + "one")
    assert after.startswith("…" + "x" * 19 + "other")
    assert before.endswith("y…")
    assert len(before) <= 162


def test_resources_that_are_alike_are_told_together() -> None:
    ends = [template(f"t{index}", Operation.DELETE, Effect.NODES_END) for index in range(3)]
    other = template("t9", Operation.DELETE, Effect.NODES_END, words="Other.")
    assert [len(some) for some in groups([*ends, other], Urgency.ALARM)] == [3, 1]
    [fleet] = outline_of([*ends, other]).roots
    assert (fleet.kind, fleet.name, fleet.alike) == ("EfaComputeFleet", "cfd-a", ())
    assert [len(node.alike) for node in fleet.children] == [3, 1]
    assert len(fleet.changes) == 4


def test_resources_of_several_types_are_told_together_where_no_input_differs() -> None:
    access = [
        change(Operation.CREATE, Effect.ACCESS, FLEET, "cfd-a", type, "cfd-a-role")
        for type in ("aws:iam/role:Role", "aws:iam/rolePolicy:RolePolicy")
    ]
    ((one, other),) = groups(access, Urgency.LOOK)
    assert [kind for kind, _ in by_kind([one, other, one])] == ["Role", "RolePolicy"]
    differ = [replace(each, operation=Operation.UPDATE, properties=(prop("name", "a", "b"),)) for each in access]
    assert len(groups(differ, Urgency.LOOK)) == 2


def test_items_that_come_from_other_resources_are_one_input() -> None:
    unknown = [prop(f"groups[{index}]", UNKNOWN, UNKNOWN, replaces=index == 1) for index in range(3)]
    known = prop("names[0]", "a", "b"), prop("names[1]", "a", UNKNOWN)
    assert inputs(template("a", properties=(*unknown, *known))) == (
        prop("groups[*]", UNKNOWN, UNKNOWN, replaces=True),
        *known,
    )


def test_the_tree_follows_parents_the_worst_first() -> None:
    top = template("top", effect=Effect.ACCESS)
    below = replace(template("below"), parent=top.urn)
    ending = replace(template("end", Operation.DELETE, Effect.DATA_LOST), parent=None)
    roots = outline_of([below, top, ending]).roots
    assert [root.name for root in roots] == ["end", "cfd-a"]
    assert roots[1].children[0].alike == (top,)
    assert roots[1].children[0].children[0].alike == (below,)


def test_a_component_stands_in_its_parent() -> None:
    inner = f"{FLEET}$hpc:aws:NodeIdentity"
    role = change(Operation.UPDATE, Effect.ACCESS, inner, "cfd-a", "aws:iam/role:Role", "cfd-a-role")
    [root] = outline_of([role, template("t"), replace(template("u"), parent=urn(FLEET, "cfd"))]).roots[:1]
    assert root.name == "cfd-a"
    assert {child.kind for child in root.children} == {"NodeIdentity", "LaunchTemplate"}


def test_noise_is_counted_unless_it_hurts() -> None:
    derived = template("a", properties=(prop("tagsAll.Name", "a", "b"), prop("__defaults[0]", "a", "b")))
    own = template("b", properties=(prop("tagsAll.Name", "a", "b"), prop("name", "a", "b")))
    hurts = replace(derived, effect=Effect.DATA_LOST)
    assert outline_of([derived, own, hurts]).noise == 1
    assert outline_of(new_nodes_only().changes).noise == 1


def test_figures_are_written_with_their_difference() -> None:
    cost = live_update().cost
    assert cost is not None
    assert texts(totals_table(cost))[1:3] == [
        ("idle, month", "468.73", "468.73", "±0"),
        ("full, hour", "64.026", "110.106", "+46.080 (+72 %)"),
    ]
    assert texts(queues_table(cost)) == [("compute", "hpc6a.48xlarge", "16 → 32", "2.880", "0.0300")]
    assert texts(quotas_table(live_update().quotas)) == [
        ("Running On-Demand HPC instances", "L-F7808C92", "1,536", "3,072 vCPU", "0")
    ]
    assert key_figures(live_update()) == (
        "The cluster costs USD 468.73 a month when idle, and USD 80,377.67 (+33,638.40, +72 %) with every queue full."
    )
    dearer = replace(cost, full_before=total(0.0), full_after=total(1.0, at_least=True))
    assert texts(totals_table(dearer))[3] == ("full, month", "0.00", "≥ 730.00", "+730.00")


def test_queues_of_one_side_are_marked() -> None:
    cost = data_lost().cost
    assert cost is not None
    assert [row[:3] for row in texts(queues_table(cost))] == [
        ("spot (gone)", "c7i.48xlarge", "8"),
        ("gpu (new)", "p5.48xlarge", "2"),
    ]


def test_files_are_sorted_with_notes_without_sizes() -> None:
    files = [
        FileChange(name="b", before="one\n", after=""),
        FileChange(name="a.b64", before="QUFB", after="QUFBQUFB"),
        FileChange(name="c", before="one\ntwo\n", after="one\nthree"),
        FileChange(name="d", before="one", after="one\n"),
        FileChange(name="e", before="", after=""),
        FileChange(name="f.b64", before="QUFB", after=""),
        FileChange(name="z/slurm.conf", before="", after="one\n"),
    ]
    assert [(diff.name, diff.note) for diff in diffs_of(files)] == [
        ("z/slurm.conf", "new"),
        ("a.b64", "packed, changed"),
        ("c", "1 line added, 1 removed"),
        ("d", "only the newline at the end differs"),
        ("b", "gone"),
        ("e", "an empty file on one side only"),
        ("f.b64", "packed, gone"),
    ]
    assert diffs_of(files)[2].lines == ("@@ -1,2 +1,2 @@", " one", "-two", "+three")


@pytest.mark.parametrize("name", ["head/controller.sh", "common/hpc-elastic.b64"])
def test_a_note_on_a_file_of_one_side_does_not_depend_on_its_size(name: str) -> None:
    """So what a review says of a new stack stays the same when a boot script or the daemon grows."""

    def note(before: str, after: str) -> str:
        (diff,) = diffs_of([FileChange(name=name, before=before, after=after)])
        return diff.note

    assert note("", "one\n") == note("", "one\ntwo\n")
    assert note("one\n", "") == note("one\ntwo\n", "")
    assert note("", "one\n") != note("one\n", "")


def test_a_note_on_a_packed_file_does_not_depend_on_its_size() -> None:
    small, large = (FileChange(name="a.b64", before="QUFB", after=text) for text in ("QUFC", "QUFCQUFC"))
    assert diffs_of([small]) == diffs_of([large])


def test_inputs_that_are_texts_have_a_note() -> None:
    asset = {"asset": {"text": "one\ntwo\n", "sha256": "1"}}
    other = {"asset": {"text": "one\n", "sha256": "2"}}
    assert text_note(PropertyChange(path="source", before=asset, after=other)) == "0 lines added, 1 removed"
    packed = {"archive": {"sha256": "3"}}
    assert text_note(PropertyChange(path="code", before=packed, after={"archive": {"sha256": "4"}})) == "another file"
    assert text_note(PropertyChange(path="name", before="a", after="b")) == ""


def test_the_command_makes_the_whole_page() -> None:
    begin = "hpc diff --format html --out review.html"
    assert command(large()) == f"{begin} 1a2b3c4d5e6f 5d6e7f8091a2 -- aws-cfd"
    here = review(before=Side(source="a b;c"), after=Side(source="working tree"))
    assert command(here) == f"{begin} 'a b;c' -- aws-cfd"
