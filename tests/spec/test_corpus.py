"""Broken descriptions, each with the rule that must catch it: `# caught-by: HPC-NET-003 at network.cidr`."""

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from hpc_components.spec.findings import Level
from hpc_components.spec.form import FORM_RULES
from hpc_components.spec.judge import judge
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.retired import RETIRED
from hpc_components.spec.rule import all_rules

CORPUS = Path(__file__).parent.parent / "corpus"
FILES = sorted(CORPUS.glob("*.yaml"))
CAUGHT_BY = re.compile(r"(HPC-[A-Z]{3}-\d{3}) at (\S+?)(?:, |$)")


def expected(file: Path) -> list[tuple[str, str]]:
    """Ids and paths that the first line of `file` promises."""
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    assert first.startswith("# caught-by: "), f"{file.name} must begin with `# caught-by: <id> at <path>`"
    return CAUGHT_BY.findall(first)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_caught_where_it_is_wrong(file: Path) -> None:
    judgement = judge(open_stack_file(file).cluster)
    promised = set(expected(file))
    found = {(finding.id, finding.path) for finding in judgement.findings}
    assert promised, "the first line names no rule"
    assert promised <= found, f"promised {promised - found}, found {found}"
    errors = {(finding.id, finding.path) for finding in judgement.errors}
    assert errors <= promised, f"errors that the first line does not name: {errors - promised}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_finding_is_told_with_place_and_remedy(file: Path) -> None:
    promised = {id for id, _ in expected(file)}
    for finding in judge(open_stack_file(file).cluster).findings:
        if finding.id in promised:
            assert finding.line is not None
            assert finding.line > 1
            assert finding.reason
            assert finding.remedy
            assert len(finding.reason) < 1000


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
    errors = {finding.id for file in FILES for finding in judge(open_stack_file(file).cluster).errors}
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


def test_score(capsys: pytest.CaptureFixture[str]) -> None:
    caught = 0
    for file in FILES:
        found = {(finding.id, finding.path) for finding in judge(open_stack_file(file).cluster).findings}
        caught += set(expected(file)) <= found
    levels = Counter(rule.level for rule in all_rules())
    with capsys.disabled():
        print(f"\ncorpus: {caught} of {len(FILES)} caught by {len(all_rules())} rules: {dict(levels)}")
    assert caught == len(FILES)
