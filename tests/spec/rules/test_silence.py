import pytest

from hpc_components.spec.rule_list import listed_rules
from hpc_components.spec.validate import JUDGE_RULES

from .judged import paths, problems


def test_every_rule_can_be_silenced():
    silence = dict.fromkeys(listed_rules().keys() - JUDGE_RULES, "why")
    assert "HPC-INP-002" in silence
    for id in ("HPC-SIL-001", "HPC-SIL-002", "HPC-SIL-003"):
        assert not paths(id, silence=silence)


@pytest.mark.parametrize(
    ("id", "hint"),
    [
        ("HPC-NET-0003", "HPC-NET-003"),
        ("hpc-net-003", "HPC-NET-003"),
        ("HPC-INP-02", "HPC-INP-002"),
        ("everything", "hpc rules"),
    ],
)
def test_silencing_an_unknown_rule_is_found(id, hint):
    (problem,) = problems("HPC-SIL-001", silence={id: "why"})
    assert problem.path == ("silence", id)
    assert hint in problem.remedy


@pytest.mark.parametrize(("reason", "right"), [("VPN only", True), ("", False), ("  ", False), ("--", False)])
def test_a_silenced_rule_needs_a_reason(reason, right):
    assert bool(paths("HPC-SIL-002", silence={"HPC-NET-003": reason})) is not right


def test_what_cannot_be_silenced_is_told_once():
    for id in JUDGE_RULES:
        assert paths("HPC-SIL-003", silence={id: "why"}) == [f"silence.{id}"]
        assert not paths("HPC-SIL-001", silence={id: "why"})
    assert not paths("HPC-SIL-003", silence={"HPC-NET-003": "why"})
