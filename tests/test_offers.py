"""What every product's offer keeps: tables that name each field of its orders, and refusals of fields that exist."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from clouds.inputs_tables import arguments_of, leaf

import hpc_components
from hpc_components.catalog.offer import Limit
from hpc_components.cloud import CLOUDS
from hpc_components.preview.recorder.sdk_types import properties
from hpc_components.spec.rule import find_rule
from hpc_components.spec.surfaces import Key, Keys

PACKAGE = Path(hpc_components.__file__).parent


def products_with(file: str, text: str = "") -> list[str]:
    """Packages of the products that have a file, with a text in it."""
    return sorted(
        f"hpc_components.{path.parent.parent.name}.{path.parent.name}"
        for cloud in CLOUDS
        for path in PACKAGE.glob(f"{cloud}/*/{file}")
        if text in path.read_text(encoding="utf-8")
    )


OFFERS = products_with("offer.py")
PASSING_ON = products_with("args.py", "same_named(")
FIELD_KEYWORDS = ("changes", "alternative")


def module(product: str, name: str) -> ModuleType | None:
    """A file of a product, if it has it."""
    path = PACKAGE.joinpath(*product.split(".")[1:], f"{name}.py")
    return importlib.import_module(f"{product}.{name}") if path.exists() else None


def orders(product: str) -> dict[str, frozenset[str]]:
    """Fields by the name of the order."""
    offer = importlib.import_module(f"{product}.offer")
    own = [each for each in vars(offer).values() if inspect.isclass(each) and each.__module__ == offer.__name__]
    return {
        each.__name__: frozenset(field.name for field in fields(each))
        for each in own
        if is_dataclass(each) and each.__name__.endswith("Order")
    }


def tables(product: str, name: str) -> dict[str, Keys]:
    """Tables of a product's file by their name."""
    found = module(product, name)
    return {
        key: value
        for key, value in vars(found).items()
        if isinstance(value, Mapping) and value and all(isinstance(each, Key | None) for each in value.values())
    }


def named_fields(product: str, name: str) -> dict[str, frozenset[str]]:
    """Fields by the name of the table."""
    return {table: frozenset(keys) for table, keys in tables(product, name).items()}


def refusals(product: str) -> Iterator[ast.Call]:
    """Calls of `refuse` in an offer."""
    offer = importlib.import_module(f"{product}.offer")
    for node in ast.walk(ast.parse(inspect.getsource(offer))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "refuse":
            yield node


def constants(node: ast.AST | None) -> list[Any]:
    """A text, or the constant keys of mappings below a node."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    found = [each for each in ast.walk(node) if isinstance(each, ast.Dict)] if node else []
    return [key.value for each in found for key in each.keys if isinstance(key, ast.Constant)]


def braces(node: ast.AST | None) -> list[str]:
    """Names in braces in the texts below a node."""
    texts = [each.value for each in ast.walk(node) if isinstance(each, ast.Constant)] if node else []
    return [name for text in texts if isinstance(text, str) for name in re.findall(r"\{(\w+)\}", text)]


def test_three_clouds_have_offers() -> None:
    assert {each.split(".")[1] for each in OFFERS} == set(CLOUDS)


@pytest.mark.parametrize("product", OFFERS)
def test_limits_of_an_offer_are_listed_and_are_rules(product: str) -> None:
    offer = importlib.import_module(f"{product}.offer")
    assert {each for each in vars(offer).values() if isinstance(each, Limit)} == set(offer.LIMITS)
    assert len({each.id for each in offer.LIMITS}) == len(offer.LIMITS)
    for limit in offer.LIMITS:
        assert find_rule(limit.id).level is limit.level


@pytest.mark.parametrize("product", OFFERS)
@pytest.mark.parametrize("name", ["model", "component"])
def test_table_names_every_field_of_each_order(product: str, name: str) -> None:
    if module(product, name) is None:
        return
    wanted, found = orders(product), named_fields(product, name)
    assert set(wanted.values()) <= set(found.values()), f"{product}.{name}: {wanted} {found}"
    for table, names in found.items():
        assert names in wanted.values(), f"{product}.{name}.{table} names other fields than an order"


@pytest.mark.parametrize("product", OFFERS)
def test_tables_of_inputs_name_every_field_together(product: str) -> None:
    if module(product, "plan") is None:
        return
    wanted, found = orders(product), named_fields(product, "plan")
    every = frozenset().union(*wanted.values())
    assert frozenset().union(*found.values()) == every, f"{product}.plan"


def has_input(token: str, path: str) -> bool:
    """Whether a resource type has an input at a path, from its root or below one of its own inputs."""
    whole = arguments_of(token)
    for start in ("", *(f"{name}." for name in properties(whole))):
        with suppress(KeyError, StopIteration):
            leaf(whole, f"{start}{path}")
            return True
    return False


@pytest.mark.parametrize("product", OFFERS)
def test_tables_of_inputs_name_inputs_of_the_sdk(product: str) -> None:
    if (plan := module(product, "plan")) is None:
        return
    facts = plan.READER.inputs()
    types = {*facts.properties, *facts.relations, *facts.between}
    for table, keys in tables(product, "plan").items():
        paths = {".".join(map(str, key.path)) for key in keys.values() if key is not None}
        unknown = {path for path in paths if not any(has_input(token, path) for token in types)}
        assert not unknown, f"{product}.plan.{table}: no resource in {sorted(types)} has the inputs {unknown}"


@pytest.mark.parametrize("product", OFFERS)
def test_refusals_name_fields_of_an_order(product: str) -> None:
    known = frozenset().union(*orders(product).values())
    for call in refusals(product):
        words = {each.arg: each.value for each in call.keywords}
        named = [*constants(call.args[0]), *constants(words.get("conflicts_with")), *braces(words.get("advice"))]
        for keyword in FIELD_KEYWORDS:
            named += constants(words.get(keyword))
        assert set(named) <= known, f"{product}.offer, line {call.lineno}: {set(named) - known}"


@pytest.mark.parametrize("product", PASSING_ON)
def test_every_key_reaches_an_argument(product: str) -> None:
    """`same_named` leaves out keys without an argument of their name: these must be read by name."""
    translation = importlib.import_module(f"{product}.args")
    tree = ast.parse(inspect.getsource(translation))
    read = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "same_named"
    ]
    for call in calls:
        part, arguments = (each.id for each in call.args if isinstance(each, ast.Name))
        names = {field.name for field in fields(getattr(translation, arguments))}
        (model,) = {
            annotation.id
            for node in ast.walk(tree)
            if isinstance(node, ast.arg) and node.arg == part and isinstance(annotation := node.annotation, ast.Name)
        }
        lost = getattr(translation, model).model_fields.keys() - names - read
        assert not lost, f"{product}.args: no argument takes the keys {lost} of {model}"
