"""The conditions of `--fail-on`."""

from dataclasses import replace
from typing import Any

import pytest

from hpc_components.review.change_effects import Effect
from hpc_components.review.document import (
    Change,
    ChangedFinding,
    CostChange,
    DescriptionChange,
    FindingChanges,
    Opening,
    Operation,
    Review,
    Side,
)
from hpc_components.review.verdict import ConditionError, conditions

NOTHING = Review(
    stack="s", project="p", cloud="aws", cluster="c", region="r", before=Side(source="a"), after=Side(source="b")
)


def with_change(operation: Operation, effect: Effect, **more: bool) -> Review:
    change = Change(
        operation=operation, urn="u", type="t:m:T", name="n", parent=None, effect=effect, words="", **more
    )
    return replace(NOTHING, changes=(change,))


def with_line(effect: Effect) -> Review:
    return replace(NOTHING, description=(DescriptionChange(path="a", before=1, after=2, effect=effect),))


def with_cost(*months: float | None) -> Review:
    totals: list[Any] = [
        None if usd is None else {"hour": usd / 730, "month": usd, "at_least": False} for usd in months
    ]
    idle_before, idle_after, full_before, full_after = totals
    cost = CostChange(idle_before=idle_before, idle_after=idle_after, full_before=full_before, full_after=full_after)
    return replace(NOTHING, cost=cost)


def with_finding(level: str, where: str) -> Review:
    return replace(NOTHING, findings=FindingChanges(**{where: ({"id": "HPC-X-001", "level": level, "path": "x"},)}))


def with_changed_finding(level: str) -> Review:
    one, other = ({"id": "HPC-X-001", "level": level, "path": "x", "value": value} for value in (1, 2))
    return replace(NOTHING, findings=FindingChanges(changed=(ChangedFinding(before=one, after=other),)))


@pytest.mark.parametrize(
    ("words", "review", "holds"),
    [
        ("destroy", NOTHING, False),
        ("destroy", with_change(Operation.DELETE, Effect.LIVE), True),
        ("destroy", with_change(Operation.REPLACE, Effect.LIVE), True),
        ("destroy", with_change(Operation.FORGET, Effect.LIVE), False),
        ("destroy", with_change(Operation.UPDATE, Effect.DATA_LOST), False),
        ("destroy", with_change(Operation.REPLACE, Effect.NEW_NODES, is_file=True), False),
        ("destroy", with_change(Operation.DELETE, Effect.NODES_END, is_file=True), True),
        ("data-loss", with_change(Operation.UPDATE, Effect.DATA_LOST), True),
        ("data-loss", with_change(Operation.DELETE, Effect.NODES_END), False),
        ("data-loss", with_change(Operation.FORGET, Effect.LEFT_BEHIND), True),
        ("data-loss", with_line(Effect.LEFT_BEHIND), True),
        ("destroy", with_change(Operation.FORGET, Effect.LEFT_BEHIND), True),
        ("access", with_change(Operation.CREATE, Effect.ACCESS), False),
        ("access", with_change(Operation.UPDATE, Effect.ACCESS, grants=True), True),
        ("access", replace(NOTHING, opened=(Opening(source="0.0.0.0/0", low=22, high=22),)), True),
        ("access", replace(NOTHING, closed=(Opening(source="0.0.0.0/0", low=22, high=22),)), False),
        ("access", with_line(Effect.ACCESS), True),
        ("warning", with_finding("warning", "new"), True),
        ("warning", with_finding("error", "new"), True),
        ("warning", with_finding("warning", "still"), False),
        ("warning", with_finding("info", "new"), False),
        ("warning", with_changed_finding("warning"), False),
        ("error", with_change(Operation.UPDATE, Effect.REFUSED), True),
        ("error", with_finding("error", "new"), True),
        ("error", with_finding("error", "still"), True),
        ("error", with_changed_finding("error"), True),
        ("error", with_changed_finding("warning"), False),
        ("error", with_finding("error", "fixed"), False),
        ("error", with_finding("warning", "new"), False),
        ("error", replace(NOTHING, failure="it fails"), True),
        ("cost>20%", with_cost(100, 120, 100, 120), False),
        ("cost>20%", with_cost(100, 100, 100, 121), True),
        ("cost>20%", with_cost(100, 121, 1000, 1021), True),
        ("cost>20%", with_cost(100, 50, 100, 50), False),
        ("cost>20%", with_cost(None, 1, None, 1), True),
        ("cost>20%", with_cost(100, None, 100, None), False),
        ("cost > 500", with_cost(0, 500, 0, 500), False),
        ("cost>500", with_cost(0, 0, 0, 500.5), True),
        ("cost>500", NOTHING, False),
    ],
)
def test_a_condition_holds_for_its_reviews(words: str, review: Review, holds: bool) -> None:
    (condition,) = conditions(words)
    assert condition.holds(review) is holds


def unpriced(review: Review, *sides: str) -> Review:
    """The same, where something has no price."""
    assert review.cost
    totals = {side: {**getattr(review.cost, side), "at_least": True} for side in sides}
    return replace(review, cost=replace(review.cost, **totals))


@pytest.mark.parametrize(
    ("words", "review", "is_known"),
    [
        ("cost>20%", with_cost(100, 100, 100, 110), True),
        ("cost>20%", unpriced(with_cost(100, 100, 100, 110), "full_after"), False),
        ("cost>20%", unpriced(with_cost(None, 0, None, 0), "full_after"), False),
        ("cost>20%", unpriced(with_cost(100, 100, 100, 121), "full_after"), True),  # it holds, whatever is not known
        ("cost>20%", unpriced(with_cost(100, 100, 100, 110), "full_before", "full_after"), True),  # as before
        ("data-loss", unpriced(with_cost(100, 100, 100, 110), "full_after"), True),
    ],
)
def test_what_comes_without_a_price_may_cost_anything(words: str, review: Review, is_known: bool) -> None:
    (condition,) = conditions(words)
    assert (condition.gap(review) is None) is is_known


def test_conditions_are_read_from_a_list_with_commas() -> None:
    assert [each.word for each in conditions("destroy, cost>20%,error")] == ["destroy", "cost>20%", "error"]
    assert conditions("") == ()


@pytest.mark.parametrize("word", ["destory", "cost", "cost>x", "cost<5", "cost>20%%"])
def test_a_word_that_is_none_is_refused_with_those_there_are(word: str) -> None:
    with pytest.raises(
        ConditionError,
        match=r"not a condition for --fail-on; use destroy, data-loss, access, warning, error, cost>20%",
    ):
        conditions(word)
