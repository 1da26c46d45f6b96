"""The project's own facts: what the file may hold, how it is merged, and how long a fact is used."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hpc_components.catalog import machine, machines, zones_offering
from hpc_components.catalog.account_facts import (
    MachineFact,
    UnreadableFactsError,
    UnwritableFactsError,
    days_kept,
    fact_file,
    keep_facts,
    outdated_fact,
    read_facts,
    without_own_facts,
)
from hpc_components.catalog.project_folder import files_of

HPC6A = "hpc6a.48xlarge"


def day(ago: int) -> str:
    return (datetime.now(UTC).date() - timedelta(days=ago)).isoformat()


def fact(**changes: Any) -> MachineFact:
    plain = {"machine": HPC6A, "region": "us-east-2", "zones": ("use2-az1",), "source": "asked", "as_of": day(0)}
    return MachineFact(**plain | changes)


def record(**changes: Any) -> dict[str, Any]:
    return {
        "machine": HPC6A, "region": "us-east-2", "zones": ["use2-az1"], "source": "asked", "as_of": "2026-11-29",
    } | changes  # fmt: skip


def written(root: Path, document: Any) -> Path:
    file = fact_file(root, "aws")
    file.parent.mkdir()
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return file


@pytest.mark.parametrize(
    ("document", "why"),
    [
        ("{", "line 1: this is not valid JSON"),
        ([], "must have the keys facts and machines"),
        ({"facts": 1, "machines": [], "more": 1}, "must have the keys facts and machines, and no others"),
        ({"facts": 2, "machines": []}, "has version 2 of the format, but this release of hpc reads version 1"),
        ({"facts": 1, "machines": {}}, "machines is not a list"),
        ({"facts": 1, "machines": [1]}, r"machines\[0\] is not a mapping"),
        ({"facts": 1, "machines": [record(), record(zone="a")]}, r"machines\[1\] has the unknown key 'zone'"),
        ({"facts": 1, "machines": [{"machine": HPC6A}]}, r"machines\[0\] lacks the key 'as_of'"),
        ({"facts": 1, "machines": [record(region="")]}, "has no text under region"),
        ({"facts": 1, "machines": [record(zones="use2-az1")]}, "has no list of zones under zones"),
        ({"facts": 1, "machines": [record(zones=["a b"])]}, "has no list of zones under zones"),
        (
            {"facts": 1, "machines": [record(as_of="yesterday")]},
            "no date like 2026-11-29 under as_of, but 'yesterday'",
        ),
        (
            {"facts": 1, "machines": [record(), record()]},
            r"machines\[1\] is a second record of hpc6a.48xlarge in us-",
        ),
    ],
)
def test_a_damaged_file_is_refused_with_place_and_remedy(tmp_path: Path, document: Any, why: str) -> None:
    file = written(tmp_path, document)
    with pytest.raises(UnreadableFactsError, match=why) as refused:
        read_facts(file)
    assert str(refused.value).startswith(str(file))
    assert str(refused.value).endswith("delete it and run `hpc preflight STACK --keep`")
    with pytest.raises(UnreadableFactsError), files_of(tmp_path):
        machine("aws", HPC6A)
    before = file.read_bytes()
    with pytest.raises(UnreadableFactsError):
        keep_facts(file, [fact()])
    assert file.read_bytes() == before


def test_facts_of_other_regions_and_machines_stay(tmp_path: Path) -> None:
    file = fact_file(tmp_path, "aws")
    here, there = fact(), fact(region="eu-north-1", zones=("eun1-az3",))
    assert keep_facts(file, [here, there]) == 2
    assert keep_facts(file, [fact(zones=("use2-az2",)), fact(machine="c7i.large")]) == 2
    assert read_facts(file) == [there, fact(machine="c7i.large"), fact(zones=("use2-az2",))]
    assert keep_facts(file, [there]) == 0


def test_the_file_has_a_line_for_each_fact_whatever_their_order(tmp_path: Path) -> None:
    facts = [fact(), fact(machine="c7i.large"), fact(region="eu-north-1")]
    one, other = fact_file(tmp_path, "aws"), fact_file(tmp_path, "gcp")
    keep_facts(one, facts)
    keep_facts(other, reversed(facts))
    assert one.read_bytes() == other.read_bytes()
    first, *lines, last = one.read_text().splitlines()
    assert (first, last) == ('{"facts": 1, "machines": [', "]}")
    assert [json.loads(line.rstrip(","))["region"] for line in lines] == ["eu-north-1", "us-east-2", "us-east-2"]


def test_an_unwritable_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hpc-facts").write_text("a file")
    with pytest.raises((UnwritableFactsError, UnreadableFactsError), match=r"hpc-facts/aws\.json"):
        keep_facts(fact_file(tmp_path, "aws"), [fact()])


def test_an_own_fact_takes_precedence_in_its_project_and_region(tmp_path: Path) -> None:
    keep_facts(fact_file(tmp_path, "aws"), [fact()])
    plain = machine("aws", HPC6A)
    assert plain is not None
    with files_of(tmp_path):
        known = machine("aws", HPC6A)
        assert known is not None
        assert zones_offering(known, "us-east-2") == ("use2-az1",)
        assert known.own_facts == {"us-east-2": f"as the account answered on {day(0)} (hpc-facts/aws.json)"}
        assert known is machine("aws", HPC6A)
        assert known in machines("aws")
        assert {name: zones for name, zones in known.offered.items() if name != "us-east-2"} == {
            name: zones for name, zones in plain.offered.items() if name != "us-east-2"
        }
        with without_own_facts():
            assert machine("aws", HPC6A) is plain
    assert machine("aws", HPC6A) is plain


def test_a_machine_without_zones_is_not_sold_in_the_region(tmp_path: Path) -> None:
    keep_facts(fact_file(tmp_path, "aws"), [fact(zones=())])
    with files_of(tmp_path):
        known = machine("aws", HPC6A)
    assert known is not None
    assert "us-east-2" not in known.offered
    assert "eu-north-1" in known.offered


@pytest.mark.parametrize(("ago", "used"), [(0, True), (days_kept(), True), (days_kept() + 1, False), (-2, False)])
def test_a_fact_is_used_until_it_is_too_old(tmp_path: Path, ago: int, used: bool) -> None:
    keep_facts(fact_file(tmp_path, "aws"), [fact(as_of=day(ago))])
    with files_of(tmp_path):
        known = machine("aws", HPC6A)
        assert known is not None
        assert (zones_offering(known, "us-east-2") == ("use2-az1",)) is used
        assert (outdated_fact(known, "us-east-2") is None) is used
        assert outdated_fact(known, "eu-north-1") is None


def test_a_file_that_changes_is_read_again(tmp_path: Path) -> None:
    file = fact_file(tmp_path, "aws")
    with files_of(tmp_path):
        plain = machine("aws", HPC6A)
        keep_facts(file, [fact()])
        assert machine("aws", HPC6A) is not plain
        file.unlink()
        assert machine("aws", HPC6A) is plain
