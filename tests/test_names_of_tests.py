"""A test's name is a clause: what is tested, and what it does or what becomes of it."""

import ast
from itertools import pairwise
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

FEWEST_WORDS = 4

VERBS = set((TESTS / "verbs_of_names.txt").read_text(encoding="utf-8").split())
"""Finite verbs of tests' names; a participle alone does not count. Add the one that you need."""

AUXILIARIES = {"can", "cannot", "could", "did", "do", "does", "may", "must", "should", "will", "would"}
RELATIVES = {"that", "what", "who", "which", "whose", "how", "where", "why"}


def verbless(name: str) -> bool:
    """Whether a name is shorter than a clause, or has no verb but those of its relative clauses."""
    words = name.removeprefix("test_").split("_")
    return len(words) < FEWEST_WORDS or _verbs(words) <= _relative_clauses(words)


def _verbs(words: list[str]) -> int:
    """How many predicates there are: `may`, `may not` or `may never` with its verb is one."""
    plain = [word for word in words if word not in ("not", "never", "still")]
    return sum(word in VERBS and before not in AUXILIARIES for before, word in pairwise(["", *plain]))


def _relative_clauses(words: list[str]) -> int:
    """How many there are; `that of` and `is that` stand for a noun."""
    around = zip(["", *words], words, [*words[1:], "of"], strict=False)
    return sum(
        word in RELATIVES and not (word == "that" and (after == "of" or before in ("is", "like", "as", "so")))
        for before, word, after in around
    )


def offenders(text: str) -> list[str]:
    """Names of test functions in a module that are not clauses."""
    functions = (
        each for each in ast.walk(ast.parse(text)) if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return [each.name for each in functions if each.name.startswith("test_") and verbless(each.name)]


def test_each_test_name_has_a_subject_and_a_verb() -> None:
    found = {
        file.relative_to(TESTS).as_posix(): names
        for file in sorted(TESTS.rglob("test_*.py"))
        if (names := offenders(file.read_text(encoding="utf-8")))
    }
    assert not found, "write what the subject does or what becomes of it, or add its verb to tests/verbs_of_names.txt"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("test_twice", True),
        ("test_names_are_unique", True),
        ("test_a_machine_without_gpus", True),
        ("test_a_node_that_nobody_names", True),
        ("test_what_is_in_doubt", True),
        ("test_keys_that_nodes_can_not_have", True),
        ("test_spot_queue_without_fallback_warns", False),
        ("test_a_node_that_nobody_names_is_an_error", False),
        ("test_the_cost_is_that_of_the_catalogue", False),
    ],
)
def test_only_a_clause_is_a_name_of_a_test(name: str, wrong: bool) -> None:
    assert offenders(f"def {name}(): ...") == ([name] if wrong else [])
