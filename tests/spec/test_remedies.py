"""A remedy is applied: the finding is gone, and no new error has come.

What a finding proposes is its `fix`, or what can be read from the words of its remedy (`remedies.py`). Each
alternative is applied by itself to the description of the corpus in which the rule found something.
"""

import copy
from functools import cache
from pathlib import Path

import pytest

from hpc_components.spec.findings import Change, Finding
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.source import Document
from hpc_components.spec.validate import Judgement, judge
from tests.spec.remedies import alternatives, applied

FILES = sorted((Path(__file__).parent.parent / "corpus").glob("*.yaml"))

READ = 0.5
"""Share of findings whose remedy can be applied by a program; it may only rise."""


@cache
def judged(file: Path) -> Judgement:
    return judge(Document(file.name, copy.deepcopy(open_stack_file(file).cluster.data)))


def proposed(file: Path) -> list[tuple[Finding, tuple[Change, ...]]]:
    """What is proposed against findings of the rule after which a file is named."""
    data = open_stack_file(file).cluster.data
    own = [finding for finding in judged(file).findings if file.name.startswith(finding.id)]
    return [(finding, changes) for finding in own for changes in alternatives(finding, data)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_applied_remedy_brings_no_new_error(file: Path) -> None:
    data = open_stack_file(file).cluster.data
    before = {(finding.id, finding.path) for finding in judged(file).errors}
    first: set[tuple[str, str]] = set()
    for finding, changes in proposed(file):
        cured = applied(changes, data)
        assert cured is not None, f"{finding.remedy}: {changes} has no place in the description"
        after = judge(Document(file.name, cured))
        new = [
            f"{error.id} at {error.path}: {error.reason}"
            for error in after.errors
            if (error.id, error.path) not in before and error.id != finding.id
        ]
        assert new == [], f"{finding.id} proposes {finding.remedy!r}"
        key = (finding.id, finding.path)
        if key not in first:
            assert key not in {(one.id, one.path) for one in after.findings}, f"{finding.remedy!r} does not help"
        first.add(key)


def test_share_of_remedies_that_can_be_applied(capsys: pytest.CaptureFixture[str]) -> None:
    found = [finding for file in FILES for finding in judged(file).findings if file.name.startswith(finding.id)]
    read = sum(len({(one.id, one.path) for one, _ in proposed(file)}) for file in FILES)
    fixed = sum(bool(finding.fix) for finding in found)
    with capsys.disabled():
        print(f"\nremedies: {read} of {len(found)} applied, {fixed} of them given as changes")
    assert read / len(found) > READ
