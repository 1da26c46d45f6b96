"""Broken descriptions, each with the rule that must catch it: `# caught-by: HPC-NET-003 at network.cidr`.

A description may say what cures it, and its rule must propose just that: `# cured-by: network.cidr = 10.20.0.0/16`.
A key is removed by `# cured-by: network.nat is removed`. A line `# own-fact: {...}` is a record of the project's own
facts about machine types.
"""

import copy
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import yaml

from hpc_components.catalog.project_folder import files_of
from hpc_components.spec.findings import Level
from hpc_components.spec.parsing import FORM_RULES
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.retired import RETIRED
from hpc_components.spec.rule import all_rules
from hpc_components.spec.source import Document
from hpc_components.spec.validate import Judgement, judge

CORPUS = Path(__file__).parent.parent / "corpus"
FILES = sorted(CORPUS.glob("*.yaml"))
CAUGHT_BY = re.compile(r"(HPC-[A-Z]{3}-\d{3}) at (\S+?)(?:, |$)")
OWN_FACT = re.compile(r"^# own-fact: (.+)$", re.M)
CURED_BY = re.compile(r"^# cured-by: (\S+) (?:= (.+)|is removed)$", re.M)


@cache
def said_of(file: Path) -> Judgement:
    """What is said of a file's description, in a project with the facts that the file names."""
    text = file.read_text(encoding="utf-8")
    with TemporaryDirectory() as folder, files_of(Path(folder)):
        described = open_stack_file(file).cluster
        if facts := OWN_FACT.findall(text):
            (Path(folder) / "hpc-facts").mkdir()
            own = f'{{"facts": 1, "machines": [{", ".join(facts)}]}}'
            (Path(folder) / "hpc-facts" / f"{described.data['cloud']}.json").write_text(own, encoding="utf-8")
        return judge(described)


def cures(file: Path) -> dict[str, str]:
    """The values that cure a description, by their places; nothing for a key that is removed."""
    return dict(CURED_BY.findall(file.read_text(encoding="utf-8")))


CURED = [file for file in FILES if cures(file)]


def expected(file: Path) -> list[tuple[str, str]]:
    """Ids and paths that the first line of `file` promises."""
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    assert first.startswith("# caught-by: "), f"{file.name} must begin with `# caught-by: <id> at <path>`"
    return CAUGHT_BY.findall(first)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_wrong_description_is_caught_at_its_place(file: Path) -> None:
    judgement = said_of(file)
    promised = set(expected(file))
    found = {(finding.id, finding.path) for finding in judgement.findings}
    assert promised, "the first line names no rule"
    assert promised <= found, f"promised {promised - found}, found {found}"
    errors = {(finding.id, finding.path) for finding in judgement.errors}
    assert errors <= promised, f"errors that the first line does not name: {errors - promised}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_finding_is_told_with_place_and_remedy(file: Path) -> None:
    promised = {id for id, _ in expected(file)}
    for finding in said_of(file).findings:
        if finding.id in promised:
            assert finding.line is not None
            assert finding.line > 1
            assert finding.reason
            assert finding.remedy
            assert len(finding.reason) < 1000


def changed(described: Any, place: str, value: str) -> None:
    """Put `value` at a place of a description, or remove what is there."""
    *parents, last = [int(part) if part.isdigit() else part for part in re.findall(r"[^.\[\]]+", place)]
    for parent in parents:
        described = described[parent] if isinstance(parent, int) else described.setdefault(parent, {})
    if value:
        described[last] = yaml.safe_load(value)
    else:
        del described[last]


def words_of(value: Any) -> Iterator[str]:
    """The words of a value as a remedy writes them."""
    if isinstance(value, list | dict):
        for each in value.values() if isinstance(value, dict) else value:
            yield from words_of(each)
    else:
        yield str(value).lower() if isinstance(value, bool) else str(value)


@pytest.mark.parametrize("file", CURED, ids=lambda file: file.stem)
def test_it_is_cured_by_what_its_rule_proposes(file: Path) -> None:
    promised = expected(file)[0]
    remedies = " ".join(found.remedy for found in said_of(file).findings if (found.id, found.path) == promised)
    described = copy.deepcopy(open_stack_file(file).cluster.data)
    for place, value in cures(file).items():
        proposed = [word in remedies for word in words_of(yaml.safe_load(value))] if value else [False]
        assert all(proposed) or (not value and re.search(r"\b(remove|leave)\b", remedies)), (place, value, remedies)
        changed(described, place, value)
    cured = judge(Document(file.name, described))
    assert promised not in {(found.id, found.path) for found in cured.findings}
    before = {(found.id, found.path) for found in said_of(file).errors}
    assert {(found.id, found.path) for found in cured.errors} <= before - {promised}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_file_is_small_and_named_after_its_rule(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) < 30
    assert file.name.startswith(expected(file)[0][0] + "-")


def test_every_rule_has_a_broken_description() -> None:
    shown = {id for file in FILES for id, _ in expected(file)}
    rules = {rule.id for rule in all_rules()}
    assert sorted(rules - shown) == []
    assert sorted(shown - rules - set(FORM_RULES)) == []


def test_rule_of_error_level_is_shown_as_an_error() -> None:
    errors = {finding.id for file in FILES for finding in said_of(file).errors}
    assert sorted({rule.id for rule in all_rules() if rule.level is Level.ERROR} - errors) == []


def test_an_id_is_left_out_only_if_its_rule_is_retired() -> None:
    numbers = defaultdict(list)
    for id in sorted({rule.id for rule in all_rules()} | set(RETIRED)):
        _, topic, number = id.split("-")
        numbers[topic].append(int(number))
    for topic, found in numbers.items():
        assert found == list(range(1, len(found) + 1)), topic


def test_no_rule_has_the_id_of_a_retired_one() -> None:
    assert not {rule.id for rule in all_rules()} & set(RETIRED)
    assert all(why.strip() for why in RETIRED.values())


def test_the_corpus_is_caught_by_its_rules(capsys: pytest.CaptureFixture[str]) -> None:
    caught = 0
    for file in FILES:
        found = {(finding.id, finding.path) for finding in said_of(file).findings}
        caught += set(expected(file)) <= found
    levels = Counter(rule.level for rule in all_rules())
    with capsys.disabled():
        print(f"\ncorpus: {caught} of {len(FILES)} caught by {len(all_rules())} rules: {dict(levels)}")
    assert caught == len(FILES)
