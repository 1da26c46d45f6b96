"""A refusal on its surfaces: paths, notation, remedies, and levels where a fact is unsure."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hpc_components.catalog.level import Level
from hpc_components.catalog.offer import Limit, Refusal
from hpc_components.preview.inputs.refused import judged_by_offer, refused_inputs
from hpc_components.spec.findings import Change
from hpc_components.spec.model import Model
from hpc_components.spec.surfaces import Key, Surface, described, problem_of, refuse_first

SIZE = Limit(id="HPC-TOY-900", title="A shelf has a size that is made", why="Others fall over.", source="the manual")


@dataclass(frozen=True, kw_only=True)
class Shelf:
    width: int
    wood: str = "oak"


def refusals(shelf: Shelf) -> Iterator[Refusal]:
    if shelf.width > 100:
        yield SIZE.refuse("width", reason="it may bend", changes={"width": 100}, level=Level.WARNING)
    if shelf.width > 200:
        yield SIZE.refuse(
            "width",
            reason="oak has 1 to 200 cm",
            changes={"width": 200},
            alternative={"wood": "steel", "width": 300},
            advice="see {wood}",
        )


class Board(Model):
    wood: str
    width: int = 3


class Room(Model):
    shelves: tuple[Board, ...] = ()


KEYS = {"width": Key(("width",)), "wood": Key(("wood",))}
DESCRIBED = {"width": Key(("shelf", 0, "width"), lambda cm: f"{cm}cm"), "wood": Key(("shelf", 0, "wood"))}


def test_text_of_a_limit_is_title_reason_and_source() -> None:
    assert SIZE.text == "A shelf has a size that is made.\n\nOthers fall over. Source: the manual."


def test_paths_and_notation_are_those_of_the_surface() -> None:
    refusal = list(refusals(Shelf(width=250)))[1]
    surface = Surface(keys=DESCRIBED, values={"width": "250cm"}, at=("shelf", 0))
    problem = problem_of(refusal, surface)
    assert (problem.path, problem.value, problem.level) == (("shelf", 0, "width"), "250cm", None)
    assert problem.fix == (Change(("shelf", 0, "width"), "200cm"),)
    assert problem.remedy == "use 200cm; see shelf[0].wood; or write shelf[0].wood: steel and use 300cm"


def test_missing_field_is_found_at_the_whole() -> None:
    refusal = list(refusals(Shelf(width=250)))[1]
    problem = problem_of(refusal, Surface(keys=DESCRIBED, values={}, at=("shelf", 0)))
    assert (problem.path, problem.value) == (("shelf", 0), None)
    assert problem.remedy.startswith("write shelf[0].width: 200cm; ")


def test_changes_of_a_field_that_the_surface_lacks_are_left_out() -> None:
    refusal = list(refusals(Shelf(width=250)))[1]
    problem = problem_of(refusal, Surface(keys={"width": Key(("width",))}, values={"width": 250}))
    assert problem.remedy == "use 200; see wood"


def test_only_errors_stop_a_component_or_count_among_inputs() -> None:
    refuse_first(Shelf(width=150), refusals(Shelf(width=150)), KEYS)
    assert [*refused_inputs({"width": 150}, refusals(Shelf(width=150)), KEYS)] == []
    (doubt,) = refusals(Shelf(width=150))
    assert problem_of(doubt, Surface(keys=KEYS, values={"width": 150})).level is Level.WARNING
    with pytest.raises(
        ValueError, match=r"^Shelf\.width = 250: oak has 1 to 200 cm; use 200; see wood; or use wood='steel'"
    ):
        refuse_first(Shelf(width=250), refusals(Shelf(width=250)), KEYS)
    assert [each.value for each in refused_inputs({"width": 250}, refusals(Shelf(width=250)), KEYS)] == [250]


def test_inputs_in_lists_are_refused_at_their_index() -> None:
    keys = {"width": Key(("shelves", 0, "width")), "wood": None}
    (fault,) = refused_inputs({"shelves": [{"width": 250}]}, refusals(Shelf(width=250)), keys)
    assert (fault.path, fault.value, fault.remedy) == ("shelves[0].width", 250, "use 200; see wood")
    assert judged_by_offer(keys) == {"shelves[].width": {}}


def test_values_of_nested_and_outside_keys_are_shown_where_they_are_written() -> None:
    room = Room(shelves=(Board(wood="oak", width=4), Board(wood="ash")))
    keys = {"width": Key(("shelves", 0, "width"), outside=True), "wood": Key(("shelves", 1, "wood"))}
    surface = described(room, ("shed",), keys, room)
    assert surface.values == {"width": 4, "wood": "ash"}
    assert surface.keys["wood"] == Key(("shed", "shelves", 1, "wood"))


def test_default_values_are_not_written() -> None:
    room = Room(shelves=(Board(wood="ash"),))
    assert described(room, (), {"width": Key(("shelves", 0, "width"))}, room).values == {}


def test_unknown_inputs_are_not_refused() -> None:
    assert [*refused_inputs({"width": "<unknown>"}, refusals(Shelf(width=250)), KEYS)] == []
