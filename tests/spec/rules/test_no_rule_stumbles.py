"""Descriptions mixed from the corpus, with odd values: no rule raises, and each problem has a way out."""

import copy
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from hpc_components.spec.parsing import read_form
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.rule import rules_for

CORPUS = Path(__file__).parents[2] / "corpus"
ODD = (
    0, -1, 1, 2**40, "", "x", "0d", "36h", "1GiB", "0.5TiB", "/", "//", "/a b", "s3://", "arn:aws:kms:::", "ä", "\n",
    "1-", "INFINITE", True, False, None, [], {}, ["x"], "10.0.0.0/8", "10.0.0.0/30", "1.2.3.4",
)  # fmt: skip


@cache
def clusters() -> list[dict[str, Any]]:
    return [open_stack_file(file).cluster.data for file in sorted(CORPUS.glob("*.yaml"))]


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in pairs:
        yield (*path, key)
        yield from places(value, (*path, key))


@settings(deadline=None)
@given(st.data())
def test_no_rule_fails_on_a_mutated_description(data):
    described = copy.deepcopy(data.draw(st.sampled_from(clusters())))
    described |= copy.deepcopy(data.draw(st.sampled_from(clusters())))
    for _ in range(data.draw(st.integers(0, 3))):
        path = data.draw(st.sampled_from(list(places(described))))
        holder = described
        for part in path[:-1]:
            holder = holder[part]
        holder[path[-1]] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
    cluster = read_form(described).cluster
    for rule in rules_for(cluster) if cluster else ():
        for problem in rule(cluster):
            assert problem.path, rule.id
            assert problem.reason, rule.id
            assert problem.remedy, rule.id
            assert "None" not in problem.reason + problem.remedy, (rule.id, problem)
