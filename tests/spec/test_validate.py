import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.spec.findings import Level
from hpc_components.spec.parsing import FORM_RULES
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.rule import find_rule
from hpc_components.spec.source import Document
from hpc_components.spec.validate import JUDGE_RULES, judge
from tests.spec.described import document, judged

ROOT = Path(__file__).parent.parent.parent
STACKS = sorted((ROOT / "stacks" / "config").glob("*.yaml"))
CLUSTERS = [open_stack_file(file).cluster.data for file in STACKS]


def test_ten_mistakes_are_ten_findings_in_one_run() -> None:
    judgement = judge(open_stack_file(Path(__file__).parent / "data" / "ten_mistakes.yaml").cluster)
    assert judgement.cluster is None
    assert [(each.id, each.path, each.line, each.column) for each in judgement.errors] == [
        ("HPC-NAM-001", "name", 5, 11),
        ("HPC-NET-003", "network.cidr", 9, 13),
        ("HPC-FRM-001", "network.ssh_form", 10, 7),
        ("HPC-MCH-004", "head_node.machine", 12, 16),
        ("HPC-FRM-003", "head_node.public", 13, 15),
        ("HPC-FRM-003", "storage.home.type", 15, 20),
        ("HPC-FRM-003", "queues[0].max", 17, 48),
        ("HPC-NAM-003", "queues[1].name", 18, 16),
        ("HPC-NAM-002", "queues[2].name", 19, 16),
        ("HPC-FRM-002", "queues[3].machine", 20, 9),
    ]


@pytest.mark.parametrize("file", STACKS, ids=lambda file: file.stem)
def test_the_reference_stacks_are_without_error(file: Path) -> None:
    judgement = judge(open_stack_file(file).cluster)
    assert [(each.id, each.path) for each in judgement.errors] == []
    assert judgement.cluster is not None


def test_findings_are_worst_first_then_in_the_order_of_the_file() -> None:
    findings = judge(open_stack_file(Path(__file__).parent / "data" / "ten_mistakes.yaml").cluster).findings
    assert [each.sort_key() for each in findings] == sorted(each.sort_key() for each in findings)
    assert len({each.level for each in findings}) > 1


TWO_QUEUES = "queues: [{name: cpu, machine: c7i.large, max: 1}, {name: cpu, machine: c7i.large, max: 1}]\n"


def test_a_finding_is_silenced_by_its_id_and_a_reason() -> None:
    loud = judged(TWO_QUEUES)
    quiet = judged(TWO_QUEUES + "silence: {HPC-NAM-003: they are merged by a plugin}")
    assert [each.id for each in loud.errors] == ["HPC-NAM-003"]
    assert quiet.errors == ()
    assert [(each.id, each.silenced) for each in quiet.silenced] == [("HPC-NAM-003", "they are merged by a plugin")]
    assert quiet.cluster is not None


@pytest.mark.parametrize("reason", ["''", "' '"])
def test_without_a_reason_nothing_is_silenced(reason: str) -> None:
    assert "HPC-NAM-003" in [each.id for each in judged(f"{TWO_QUEUES}silence: {{HPC-NAM-003: {reason}}}").errors]


@pytest.mark.parametrize("id", sorted(FORM_RULES))
def test_the_form_cannot_be_silenced(id: str) -> None:
    broken = {
        "HPC-FRM-001": "nam: x",
        "HPC-FRM-002": "budget: {}",
        "HPC-FRM-003": "throw_away: 1",
        "HPC-FRM-004": "cloud: awss",
    }
    judgement = judged(f"{broken[id]}\nsilence: {{{id}: because}}")
    assert id in [each.id for each in judgement.errors]
    assert judgement.silenced == ()


def test_what_is_silenced_in_vain_is_told() -> None:
    judgement = judged("silence: {HPC-NAM-003: because, HPC-NAM-002: because}\n" + TWO_QUEUES)
    (unused,) = [each for each in judgement.findings if each.path.startswith("silence")]
    assert (unused.id, unused.level, unused.path) == ("HPC-SIL-004", Level.WARNING, "silence.HPC-NAM-002")
    assert (unused.line, unused.column) == (9, 33)
    assert unused.reason == "rule HPC-NAM-002 has no finding here"


def test_only_a_preview_knows_whether_an_input_is_silenced_in_vain() -> None:
    judgement = judged("silence: {HPC-INP-002: our provider is patched}")
    assert [each.id for each in judgement.findings if each.id.startswith("HPC-SIL")] == []


def test_nothing_is_said_of_silence_in_vain_while_parts_are_not_understood() -> None:
    judgement = judged("silence: {HPC-NAM-002: because}\nthrow_away: 1")
    assert [each.id for each in judgement.errors] == ["HPC-FRM-003"]
    assert "HPC-SIL-004" not in [each.id for each in judgement.findings]


def test_ids_beside_the_rules_are_no_rules() -> None:
    assert [id for id in JUDGE_RULES if find_rule(id)] == []
    assert set(FORM_RULES) < set(JUDGE_RULES)


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ("storage: {home: {type: efs, mount: /home}, s: {type: lustre, mount: /s, size: 1200}}", "storage.s.size"),
        ("storage: {home: {type: nsf, mount: /home}}", "storage.home.type"),
        ("budget: {monthly: 9000, notify: [a@example.org], alert_at: [80, '100']}", "budget.alert_at[1]"),
        ("zone: 2", "zone"),
        ("region: 2", "region"),
        ("queues: [{name: cpu, machine: 7, max: 1}]", "queues[0].machine"),
        ("queues: cpu", "queues"),
        ("head_node: {machine: [c6i.xlarge]}", "head_node.machine"),
        ("network: 10.20.0.0/16", "network"),
        ("network: {cidr: ten}", "network.cidr"),
        ("network: {cdir: 10.20.0.0/16}", "network.cdir"),
    ],
)
def test_nothing_follows_from_what_was_not_understood(changes: str, path: str) -> None:
    before = {(each.id, each.path) for each in judged().findings}
    new = [each for each in judged(changes).findings if (each.id, each.path) not in before]
    assert [each.path for each in new if each.id.startswith("HPC-FRM")] == [path]
    assert [(each.id, each.path) for each in new if not each.id.startswith("HPC-FRM")] == []


PARTS = {
    "type": "lustre", "mount": "/s", "size": "4800GiB", "deployment": "persistent_2", "throughput": "250",
    "metadata_iops": "6000",
}  # fmt: skip


@pytest.mark.parametrize(
    "wrong", [{}, {"deployment": "persistent2"}, {"throughput": "'250'"}, {"compression": "yes"}, {"type": "lustr"}]
)
def test_the_rules_judge_the_intended_values(wrong: dict[str, str]) -> None:
    parts = ", ".join(f"{key}: {value}" for key, value in (PARTS | wrong).items())
    errors = judged(f"storage: {{home: {{type: efs, mount: /home}}, s: {{{parts}}}}}").errors
    assert [(each.id, each.path) for each in errors] == [("HPC-FRM-003", f"storage.s.{key}") for key in wrong]


def test_a_root_mounted_twice_is_told() -> None:
    queue = "{name: gpu, machine: p5.48xlarge, max: 1, local_scratch: /}"
    judgement = judged(f"storage: {{home: {{type: efs, mount: /}}}}\nqueues: [{queue}]")
    assert "HPC-MNT-004" in [each.id for each in judgement.errors]


def test_a_description_made_in_python_has_findings_without_places() -> None:
    judgement = judge(Document("hpc:cluster", document("throw_away: 1").data))
    (error,) = judgement.errors
    assert (error.file, error.line, error.column) == ("hpc:cluster", None, None)


def places(data: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    for key in data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ():
        yield (*path, key)
        yield from places(data[key], (*path, key))


WORDS = [
    "",
    "x",
    "-",
    "/",
    "1GiB",
    "1d",
    "10.0.0.0/16",
    "use2-az1",
    "us-east-2",
    "s3://a/b",
    "é\n",
    "a" * 300,
    "spot",
]
KEYS = [
    "type",
    "name",
    "zone",
    "mount",
    "existing",
    "archive",
    "slurm",
    "reservation",
    "capacity_block",
    "",
    "secure",
]
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats(-1e9, 1e9) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A reference cluster with a few of its parts replaced, removed or added to."""
    data = copy.deepcopy(draw(st.sampled_from(CLUSTERS)))
    for _ in range(draw(st.integers(1, 3))):
        *holders, last = draw(st.sampled_from(list(places(data))))
        holder = data
        for key in holders:
            holder = holder[key]
        match draw(st.sampled_from(["replace", "replace", "remove", "add"])):
            case "replace":
                holder[last] = draw(values)
            case "remove":
                del holder[last]
            case _ if isinstance(holder, dict):
                holder[draw(st.sampled_from(KEYS))] = draw(values)
            case _:
                holder.append(draw(values))
    return data


@given(mutated())
def test_any_description_is_judged(data: Any) -> None:
    judgement = judge(Document("f.yaml", data))
    assert (judgement.cluster is None) == any(each.id.startswith("HPC-FRM") for each in judgement.errors)
    assert all(each.reason and each.remedy for each in judgement.findings)
    json.dumps([each.to_dict() for each in judgement.findings], allow_nan=False)


@given(values)
def test_any_data_is_judged(data: Any) -> None:
    assert judge(Document("f.yaml", data)).cluster is None
    assert judge(Document("f.yaml", {"cloud": "aws", "queues": data, "storage": data, "network": data})).errors
