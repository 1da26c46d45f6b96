"""Arguments of every cloud's components are refused, with their path, where they are not of the declared type."""

import re
from dataclasses import dataclass, fields
from typing import Any

import pulumi
import pytest

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.declared import as_declared
from hpc_components.ports import Tags as PlainTags

ARGUMENTS = [
    getattr(module, name)
    for module in (__import__(cloud_named(cloud).package, fromlist=["*"]) for cloud in CLOUDS)
    for name in module.__all__
    if name.endswith("Args")
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda each: f"{each.__module__.split('.')[1]}-{each.__name__}")
def test_arguments_of_no_declared_type_are_refused(arguments: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{arguments.__name__}\.\w+: .* is of type object; give "):
        arguments(**{each.name: object() for each in fields(arguments)})


@dataclass(frozen=True, kw_only=True)
@as_declared
class Sample:
    """One field of each kind."""

    number: int = 1
    amount: float = 1
    names: tuple[str, ...] = ()
    choice: str | None = None
    place: pulumi.Input[str] = ""
    switch: bool = False

    def __post_init__(self) -> None:
        """Refuse what only its own check knows."""
        if self.number > 9:
            raise ValueError("Sample.number: at most 9")


@dataclass(frozen=True, kw_only=True)
@as_declared
class Labelled:
    """What is called as something else is."""

    tags: PlainTags


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"number": "1"}, "Sample.number: '1' is of type str; give a whole number"),
        ({"number": True}, "Sample.number: True is of type bool; give a whole number"),
        ({"amount": "1"}, "Sample.amount: '1' is of type str; give a number"),
        ({"names": "ab"}, "Sample.names: 'ab' is of type str; give a tuple, (x,) for one"),
        ({"choice": 3}, "Sample.choice: 3 is of type int; give a text or None"),
        ({"switch": "no"}, "Sample.switch: 'no' is of type str; give True or False"),
        ({"number": 10}, "Sample.number: at most 9"),
    ],
)
def test_the_place_the_reason_and_the_way_out(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        Sample(**given)


def test_an_output_is_refused_where_a_plain_value_is_wanted() -> None:
    given: Any = object.__new__(pulumi.Output)
    with pytest.raises(ValueError, match=r"^Sample\.number: an Output can't stand here"):
        Sample(number=given)
    assert Sample(place=given, choice=given).choice is given


def test_what_stands_for_what() -> None:
    given: Any = ["a"]
    assert Sample(names=given, amount=2, choice="x").names == ["a"]


def test_a_namesake_is_told_by_its_module() -> None:
    class Tags:
        """Not ours."""

    given: Any = Tags()
    with pytest.raises(ValueError, match=r" is of type Tags; give that of hpc_components\.ports$"):
        Labelled(tags=given)
