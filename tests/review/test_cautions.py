"""Keys of a description whose change means more for jobs than its resources show."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hpc_components.preview.description import described
from hpc_components.review import cautions as module
from hpc_components.review.cautions import cautions, with_cautions
from hpc_components.review.change_effects import Effect
from hpc_components.review.description import description_changes
from hpc_components.review.headline import verdict
from hpc_components.review.wording import Urgency, urgency
from hpc_components.spec.source import read_yaml
from tests.review.reviews import live_update

BEFORE = """\
name: cfd
slurm: {version: "23.11"}
people: {users: {ada: {uid: 2001}}}
storage: {home: {type: nfs, mount: /home, size: 1TiB}, data: {type: nfs, mount: /data, existing: {server: 10.0.0.1}}}
buckets: {runs: {type: s3}, fixed: {type: s3, write_from: [login]}}
queues:
  - {name: cpu, machine: c7i.48xlarge, max: 16}
  - {name: gpu, machine: p5.48xlarge, max: 4, gpu_sharing: {shards: 4}}
"""
DIRECTORY = "people: {directory: {base: dc=example, filter: (uid=a), servers: [ldaps://ldap]}}\n"

GPU = "  - {name: gpu, machine: p5.48xlarge, max: 4, gpu_sharing: {shards: 4}}\n"


def warned(old: str, new: str) -> list[tuple[str, str]]:
    """Path and first words of each caution after this edit."""
    assert BEFORE.count(old) == 1
    one, other = (described(read_yaml(text, "x.yaml")) for text in (BEFORE, BEFORE.replace(old, new)))
    return [(each.path, each.caution[:30]) for each in with_cautions(description_changes(one, other)) if each.caution]


@pytest.mark.parametrize(
    ("old", "new", "path"),
    [
        ("max: 16", "max: 8", "queues[0].max"),
        ("c7i.48xlarge", "c6i.32xlarge", "queues[0].machine"),
        ("{shards: 4}", "{shards: 2}", "queues[1].gpu_sharing.shards"),
        (", gpu_sharing: {shards: 4}", "", "queues[1].gpu_sharing"),
        ('version: "23.11"', 'version: "24.11"', "slurm.version"),
        ('slurm: {version: "23.11"}\n', "", "slurm"),
        ("name: cfd", "name: cfx", "name"),
        (GPU, "", "queues[1]"),
        ("max: 16", "max: 16, fabric: false", "queues[0].fabric"),
        ("max: 16", "max: 16, purchase: spot", "queues[0].purchase"),
        ("{home: ", "{fast: {type: efs, mount: /fast}, home: ", "storage.fast"),
        (", data: {type: nfs, mount: /data, existing: {server: 10.0.0.1}}", "", "storage.data"),
        ("runs: {type: s3}", "runs: {type: s3, write_from: [login]}", "buckets.runs.write_from"),
        ("[login]", "[login, gpu]", "buckets.fixed.write_from"),
        (", write_from: [login]", "", "buckets.fixed.write_from"),
        ("mount: /data", "mount: /shared", "storage.data.mount"),
        ("10.0.0.1", "10.0.0.2", "storage.data.existing.server"),
        ("people: {", "people: {ssh_between_nodes: personal_keys, ", "people.ssh_between_nodes"),
    ],
)
def test_a_change_warns_at_its_path(old: str, new: str, path: str) -> None:
    assert [each for each, _ in warned(old, new)] == [path]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max: 16", "max: 32"),
        ("max: 16", "max: 16, fabric: true"),
        ("max: 16", "max: 16, purchase: {reservation: cr-1}"),
        ("size: 1TiB", "size: 2TiB"),
        ("{ada: {uid: 2001}}", "{}"),
        ("people: {users: {ada: {uid: 2001}}}\n", ""),
        ("runs: ", "more: {type: s3, write_from: [login]}, runs: "),
        (GPU, f"{GPU}  - {{name: new, machine: c7i.large, max: 2, smt: false}}\n"),
    ],
)
def test_it_does_not_warn(old: str, new: str) -> None:
    assert warned(old, new) == []


def test_a_directory_and_its_filter_decide_who_has_access() -> None:
    def changed(old: str, new: str) -> list[tuple[str, Effect | None]]:
        one, other = (described(read_yaml(f"name: cfd\n{text}", "x.yaml")) for text in (old, new))
        return [(each.path, each.effect) for each in with_cautions(description_changes(one, other))]

    assert changed("", DIRECTORY) == [("people", Effect.ACCESS)]
    assert ("people.directory", Effect.ACCESS) in changed(DIRECTORY, "people: {admit: [a]}\n")
    assert changed(DIRECTORY, DIRECTORY.replace("=a", "=*")) == [("people.directory.filter", Effect.ACCESS)]
    assert [effect for _, effect in changed(DIRECTORY, DIRECTORY.replace("//ldap", "//other"))] == [None]


@pytest.mark.parametrize(
    ("machine", "is_told"), [("c7i.48xlarge", True), ("hpc6a.48xlarge", False), ("of-tomorrow", True)]
)
def test_threads_that_cores_do_not_have_make_no_difference(machine: str, is_told: bool) -> None:
    text = f"cloud: aws\nqueues:\n  - {{name: cpu, machine: {machine}, max: 4, smt: true}}\n"
    one, other = (described(read_yaml(each, "x.yaml")) for each in (text, text.replace("true", "false")))
    (change,) = with_cautions(description_changes(one, other), other["value"])
    assert bool(change.caution) is is_told


def test_one_thing_is_said_once() -> None:
    one, other = (described(read_yaml(text, "x.yaml")) for text in (BEFORE, BEFORE.replace("48xlarge", "24xlarge")))
    ((_, paths),) = cautions(with_cautions(description_changes(one, other)), Urgency.LOOK)
    assert paths == ["queues[0].machine", "queues[1].machine"]


def test_a_review_with_a_caution_is_to_be_looked_at() -> None:
    found = live_update()
    assert urgency(found) is Urgency.FINE
    careful = replace(found, description=(replace(found.description[0], caution="Wait."),))
    assert urgency(careful) is Urgency.LOOK
    quiet = replace(found.changes[0], effect=Effect.LIVE)
    assert verdict(replace(found, changes=(quiet,))).startswith(
        "queue compute may grow to 32 nodes (16 before); nothing that is running is affected ("
    )
    assert verdict(replace(careful, changes=(quiet,))).startswith("queue compute may grow to 32 nodes (16 before) (")


@pytest.mark.parametrize(
    ("old", "new", "effect"),
    [
        ("mount: /data", "mount: /shared", Effect.LEFT_BEHIND),
        ("10.0.0.1", "10.0.0.2", Effect.LEFT_BEHIND),
        ("existing: {server: 10.0.0.1}", "size: 1TiB", Effect.LEFT_BEHIND),
        (", data: {type: nfs, mount: /data, existing: {server: 10.0.0.1}}", "", Effect.LEFT_BEHIND),
        (" data: {type", " shared: {type", None),  # the same export at the same place
        ("[login]", "[login, gpu]", Effect.ACCESS),
        ("max: 16", "max: 8", None),
    ],
)
def test_a_line_may_have_an_effect_without_a_resource(old: str, new: str, effect: Effect | None) -> None:
    one, other = (described(read_yaml(text, "x.yaml")) for text in (BEFORE, BEFORE.replace(old, new)))
    found = [each.effect for each in with_cautions(description_changes(one, other)) if each.effect]
    assert list(dict.fromkeys(found)) == [effect] * bool(effect)


def test_each_caution_says_where_it_is_known_from() -> None:
    for record in json.loads((Path(module.__file__).parent / "data" / "cautions.json").read_text()):
        assert {"paths", "words", "source", "as_of"} <= record.keys()
        assert record["words"].endswith(".")


@pytest.mark.parametrize(("old", "new"), [("null", BEFORE), (BEFORE, "text"), ("[1]", "text")])
def test_a_description_that_is_no_mapping_on_one_side_is_one_change(old: str, new: str) -> None:
    one, other = (described(read_yaml(text, "x.yaml")) for text in (old, new))
    assert [each.path for each in with_cautions(description_changes(one, other))] == [""]
