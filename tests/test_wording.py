"""How messages count, list and correct words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.wording import any_of, closest_word, did_you_mean, plural


@pytest.mark.parametrize(
    ("count", "words"), [(0, "0 zones"), (1, "1 zone"), (2, "2 zones"), (1000, "1,000 zones"), (-1, "-1 zones")]
)
def test_a_noun_is_counted_with_its_number(count: int, words: str) -> None:
    assert plural(count, "zone") == words


@pytest.mark.parametrize(
    ("names", "choice"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a or b"),
        (["a", "b", "c"], "a, b or c"),
        (["a", "b", "a", "b"], "a or b"),
        (["a", "b", "c", "d"], "a, b, c or d"),
        (["a", "b", "c", "d", "e", "f"], "a, b, c, d (2 more)"),
    ],
)
def test_a_choice_of_names_is_joined_with_or(names: list[str], choice: str) -> None:
    assert any_of(names) == choice


def test_a_choice_takes_any_iterable_and_any_length() -> None:
    assert any_of(map(str, range(3)), most=2) == "0, 1 (1 more)"
    assert any_of(map(str, range(6)), most=6) == "0, 1, 2, 3, 4 or 5"


def test_a_misspelt_word_has_its_closest() -> None:
    assert closest_word("DefualtTime", ["MaxTime", "DefaultTime"]) == "DefaultTime"
    assert closest_word("quick", ["MaxTime", "DefaultTime"]) is None
    assert closest_word("anything", []) is None


def test_swapped_letters_are_the_closest() -> None:
    assert closest_word("us-esat-2", ["us-west-2", "us-east-2", "us-east-1"]) == "us-east-2"


def test_likeness_can_be_asked_for() -> None:
    assert closest_word("bio", ["biology"]) == "biology"
    assert closest_word("bio", ["biology"], cutoff=0.7) is None


@given(st.lists(st.from_regex(r"[A-Za-z_]{1,12}", fullmatch=True), min_size=1, max_size=8))
def test_a_known_word_in_any_case_means_itself(known: list[str]) -> None:
    for word in known:
        found = closest_word(word.swapcase(), known)
        assert found in known
        assert found.lower() == word.lower()


def test_of_words_that_differ_in_case_only_the_first_is_meant() -> None:
    assert closest_word("DB_JOB", ["Db_Job", "DB_job"]) == "Db_Job"


def test_without_a_close_word_the_way_out_is_told() -> None:
    assert did_you_mean("nromal", ["normal", "long"], "leave it out") == "did you mean normal?"
    assert did_you_mean("gpu", ["normal", "long"], "leave it out") == "leave it out"
