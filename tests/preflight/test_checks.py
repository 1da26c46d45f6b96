"""What is judged the same on every cloud."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import pytest

from hpc_components.preflight.account import Fact, NotAnsweredError, QuotaSeen
from hpc_components.preflight.asked import Asked
from hpc_components.preflight.checks.quotas import quota_checks
from hpc_components.preflight.run import run
from hpc_components.spec.account_rules import ACCOUNT_RULES, AccountFault
from hpc_components.spec.rule_list import listed_rules
from hpc_components.spec.source import read_yaml
from hpc_components.spec.validate import judge

CLUSTER = """\
cloud: aws
name: cfd
region: us-east-2
zone: use2-az2
network: {cidr: 10.20.0.0/16}
head_node: {machine: c6i.xlarge}
queues:
  - {name: cpu, machine: c7i.large, max: 4, zones: [use2-az2, use2-az1]}
"""
NEED = {
    "code": "Q-1", "service": "ec2", "name": "vCPUs", "unit": "vCPU", "region": "us-east-2", "need": 2_345_678,
    "default": 5, "ask": True, "for": [{"what": "queue cpu: 4 × c7i.large", "need": 2_345_678}],
}  # fmt: skip


class Part:
    """A cloud that names nothing and needs nothing."""

    permissions: Mapping[str, tuple[str, ...]] = dict.fromkeys(
        ("problem", "closed", "offers", "quota", "disabled", "refused"), ()
    )

    sources: Mapping[str, str] = {"offers": "API of offers"}

    def __getattr__(self, name: str) -> Any:
        return lambda asked: {} if name == "services" else ()


class Account:
    """An account in which only what a test sets matters."""

    who = "account 1"

    def __init__(self, **answers: Any) -> None:
        self.answers: dict[str, Any] = {"problem": "", "closed": {}, "offers": {"use2-az2": ""}} | answers

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self.answers[name]


def asked(*needs: Mapping[str, Any]) -> Asked:
    document = read_yaml(CLUSTER, "cfd.yaml")
    cluster = judge(document).cluster
    assert cluster is not None
    return Asked(cluster=cluster, document=document, quotas=needs)


def done(account: Any, *needs: Mapping[str, Any]) -> Any:
    part: Any = Part()
    return run(asked(*needs), account, part)


def quota_finding(account: Any) -> Any:
    (found,) = (each for each in done(account, NEED).findings if each.id == AccountFault.QUOTA)
    return found


def test_large_numbers_are_written_out() -> None:
    found = quota_finding(Account(quota=QuotaSeen(limit=1_234_567.0)))
    assert found.path == "queues[0].max"
    assert "needs 2,345,678 of Q-1 (vCPUs)" in found.reason
    assert "is 1,234,567" in found.reason
    assert "at least 2,345,678 in Service Quotas" in found.remedy


def test_usage_that_may_be_the_clusters_own_is_a_warning() -> None:
    found = quota_finding(Account(quota=QuotaSeen(limit=2_400_000, used=100_000)))
    assert str(found.level) == "warning"
    assert "100,000 in use" in found.reason
    assert "at least 2,445,678" in found.remedy


def test_a_quota_that_is_not_listed_is_left_out_unless_its_default_suffices() -> None:
    (left_out,) = done(Account(quota=None), NEED).left_out
    assert (left_out.check, left_out.keys) == ("quotas of ec2", ("queues",))
    assert done(Account(quota=None), {**NEED, "ask": False}).left_out == ()


def test_findings_before_a_refusal_are_kept() -> None:
    class Half(Account):
        def quota(self, need: Mapping[str, Any]) -> QuotaSeen:
            if need["code"] == "Q-2":
                raise NotAnsweredError("lost the connection")
            return QuotaSeen(limit=1)

    result = done(Half(), NEED, {**NEED, "code": "Q-2"})
    assert "HPC-PRE-004" in {each.id for each in result.findings}
    assert [each.reason for each in result.left_out] == ["not answered: lost the connection"]
    assert "quotas of ec2" not in result.answered


def test_an_unexpected_response_is_left_out() -> None:
    class Odd(Account):
        def quota(self, need: Mapping[str, Any]) -> QuotaSeen:
            return QuotaSeen(limit=float({}["Value"]))

    (left_out,) = done(Odd(), NEED).left_out
    assert left_out.reason == "not answered: unexpected response (KeyError('Value'))"


def test_answers_about_machines_are_facts_of_the_day() -> None:
    restricted = {"use2-az3": "", "use2-az2": "", "use2-az1": "restricted"}
    head, queue = done(Account(offers=restricted)).facts
    assert (head.machine, queue.machine) == ("c6i.xlarge", "c7i.large")
    assert (queue.region, queue.zones, queue.source) == ("us-east-2", ("use2-az2", "use2-az3"), "API of offers")
    assert queue.as_of == datetime.now(UTC).date().isoformat()


def test_a_check_that_is_left_out_in_part_leaves_no_facts() -> None:
    class Torn(dict[str, str]):
        def items(self) -> Any:
            raise KeyError("zones")

    class Half(Account):
        def offers(self, name: str) -> Mapping[str, str]:
            return {"use2-az2": ""} if name == "c6i.xlarge" else Torn()

    result = done(Half())
    assert [each.check for each in result.left_out] == ["machine types"]
    assert result.facts == ()


def test_a_machine_that_one_of_several_zones_lacks_is_a_warning() -> None:
    (found,) = done(Account()).findings
    assert (found.path, str(found.level)) == ("queues[0].machine", "warning")
    assert "can't have c7i.large in use2-az1 (not sold there)" in found.reason
    assert found.remedy == "note that this account can have it in use2-az2"


def test_a_machine_that_no_zone_sells_is_an_error() -> None:
    head, queue = done(Account(offers={"use2-az3": ""})).findings
    assert (head.path, str(head.level)) == ("head_node.machine", "error")
    assert (queue.path, str(queue.level)) == ("queues[0].machine", "error")
    assert head.remedy == "use another machine type or zone; this account can have it in use2-az3"


@pytest.mark.parametrize(
    ("wanted", "seen", "holds"),
    [
        ("X86_64", "x86_64", True),
        ("10.0.0.0/16", ["10.1.0.0/16", "10.0.0.0/16"], True),
        (("a", "b"), "B", True),
        (("a", "b"), "c", False),
        (4, 4, True),
        (4, 3, False),
    ],
)
def test_a_fact_holds_for_one_of_several_values(wanted: Any, seen: Any, holds: bool) -> None:
    fact = Fact(name="fact", wanted=wanted, fault=AccountFault.NAMED, remedy="change it")
    assert fact.holds(seen) is holds


def test_every_fault_has_a_rule_and_ids_have_no_gap() -> None:
    assert [fault.value for fault in AccountFault] == [f"HPC-PRE-{n:03}" for n in range(1, len(AccountFault) + 1)]
    assert {text.id for text in ACCOUNT_RULES.values()} == {each for each in listed_rules() if "-PRE-" in each}


def test_a_quota_check_has_a_name_for_each_service() -> None:
    account: Any = Account()
    part: Any = Part()
    checks = quota_checks(asked(NEED, {**NEED, "service": "fsx"}), account, part)
    assert [each.asks for each in checks] == ["quotas of ec2", "quotas of fsx"]
