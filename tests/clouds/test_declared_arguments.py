"""Arguments of every cloud's components are refused, with their path, where they are not of the declared type."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import pulumi
import pytest

from hpc_components.aws.ports import SecurityGroupIds
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.ports import Tags as PlainTags
from hpc_components.spec.model import Model
from hpc_components.typed_args import checked_args, same_named

ARGUMENTS = [
    getattr(module, name)
    for module in (__import__(cloud_named(cloud).package, fromlist=["*"]) for cloud in CLOUDS)
    for name in module.__all__
    if name.endswith("Args")
]


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda each: f"{each.__module__.split('.')[1]}-{each.__name__}")
def test_arguments_of_no_declared_type_are_refused(arguments: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{arguments.__name__}\.\w+: .* is of type object; specify "):
        arguments(**{each.name: object() for each in fields(arguments)})


@dataclass(frozen=True, kw_only=True)
@checked_args
class Sample:
    """One field of each kind."""

    number: int = 1
    amount: float = 1
    names: tuple[str, ...] = ()
    choice: str | None = None
    place: pulumi.Input[str] = ""
    switch: bool = False
    way: Literal["in", "out"] = "in"
    places: tuple[pulumi.Input[str], ...] = ()
    files: Mapping[str, pulumi.Input[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what only its own check knows."""
        if self.number > 9:
            raise ValueError("Sample.number: at most 9")


@dataclass(frozen=True, kw_only=True)
@checked_args
class Labelled:
    """What is called as something else is."""

    tags: PlainTags


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"number": "1"}, "Sample.number: '1' is of type str; specify a whole number"),
        ({"number": True}, "Sample.number: True is of type bool; specify a whole number"),
        ({"amount": "1"}, "Sample.amount: '1' is of type str; specify a number"),
        ({"names": "ab"}, "Sample.names: 'ab' is of type str; specify a tuple such as (x,)"),
        ({"choice": 3}, "Sample.choice: 3 is of type int; specify a string or None"),
        ({"switch": "no"}, "Sample.switch: 'no' is of type str; specify True or False"),
        ({"names": ("a", 1)}, "Sample.names[1]: 1 is of type int; specify a string"),
        ({"place": 3}, "Sample.place: 3 is of type int; specify a string or an Output"),
        ({"files": {"a": b"x"}}, "Sample.files['a']: b'x' is of type bytes; specify a string or an Output"),
        ({"number": 10}, "Sample.number: at most 9"),
    ],
)
def test_the_place_the_reason_and_the_way_out(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        Sample(**given)


@pytest.mark.parametrize("place", ["number", "choice", "names", "way"])
def test_an_output_is_refused_where_a_plain_value_is_wanted(place: str) -> None:
    given: Any = object.__new__(pulumi.Output)
    with pytest.raises(ValueError, match=rf"^Sample\.{place}: an Output is not allowed here"):
        Sample(**{place: given})
    assert Sample(place=given, places=(given,), files={"a": given}).place is given


COMPONENTS = [
    getattr(module, name)
    for module in (__import__(cloud_named(cloud).package, fromlist=["*"]) for cloud in CLOUDS)
    for name in module.__all__
    if f"{name}Args" in module.__all__
]


@pytest.mark.parametrize("component", COMPONENTS, ids=lambda each: f"{each.__module__.split('.')[1]}-{each.__name__}")
def test_a_component_takes_its_own_arguments_alone(component: Any) -> None:
    wanted = f"{component.__name__}Args"

    @dataclass
    class Args:
        """Those of a component of another cloud."""

    Args.__name__ = wanted
    package = ".".join(component.__module__.split(".")[:2])
    with pytest.raises(
        ValueError, match=rf"^{component.__name__} args: .* is of type {wanted}; specify {wanted} from {package}$"
    ):
        component("one", Args())
    with pytest.raises(ValueError, match=rf"^{wanted}\.no_such_argument: unknown argument; "):
        component("one", {"no_such_argument": 1})


def test_values_like_the_declared_type_are_accepted() -> None:
    given: Any = ["a"]
    assert Sample(names=given, amount=2, choice="x").names == ["a"]


def test_a_namesake_is_told_by_its_module() -> None:
    class Tags:
        """Not ours."""

    given: Any = Tags()
    with pytest.raises(ValueError, match=r" is of type Tags; specify Tags from hpc_components\.ports$"):
        Labelled(tags=given)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_a_network_of_the_users_own_is_looked_at_too(cloud: str) -> None:
    network = __import__(f"{cloud_named(cloud).package}.ports", fromlist=["Network"]).Network
    given = {each.name: {} if "Mapping" in str(each.type) else "10.20.0.0/16" for each in fields(network)}
    with pytest.raises(ValueError, match=r"^Network\.cidr: an Output is not allowed here, .*; specify a string$"):
        network(**{**given, "cidr": object.__new__(pulumi.Output)})


def test_one_group_is_not_taken_letter_by_letter() -> None:
    given: dict[str, Any] = dict.fromkeys(("head", "login", "compute", "storage"), "sg-0123456789abcdef0")
    with pytest.raises(
        ValueError, match=r"^SecurityGroupIds\.head: 'sg-.*' is of type str; specify a tuple such as \(x,\)$"
    ):
        SecurityGroupIds(**given)


def test_tags_are_plain_values_only() -> None:
    given: Any = object.__new__(pulumi.Output)
    with pytest.raises(ValueError, match=r"^Tags\.extra\['Team'\]: an Output is not allowed here"):
        PlainTags("cfd", {"Team": given})


class Part(Model):
    number: int
    choice: str | None = None
    size: str = "1TiB"


@dataclass
class Made:
    number: int
    choice: str | None
    capacity_gib: int = 0


def test_keys_with_the_name_of_an_argument_are_passed_on() -> None:
    assert same_named(Part(number=3), Made) == {"number": 3, "choice": None}
