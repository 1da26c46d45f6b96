"""What every product's offer keeps: tables that name each field of its orders, and refusals of fields that exist."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hpc_components
from hpc_components.catalog.offer import Limit
from hpc_components.cloud import CLOUDS
from hpc_components.spec.rule import find_rule
from hpc_components.spec.surfaces import Key

PACKAGE = Path(hpc_components.__file__).parent
OFFERS = sorted(
    f"hpc_components.{path.parent.parent.name}.{path.parent.name}"
    for cloud in CLOUDS
    for path in PACKAGE.glob(f"{cloud}/*/offer.py")
)
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


def tables(product: str, name: str) -> dict[str, frozenset[str]]:
    """Fields by the name of the table."""
    found = module(product, name)
    return {
        key: frozenset(value)
        for key, value in vars(found).items()
        if isinstance(value, Mapping) and value and all(isinstance(each, Key | None) for each in value.values())
    }


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
    wanted, found = orders(product), tables(product, name)
    assert set(wanted.values()) <= set(found.values()), f"{product}.{name}: {wanted} {found}"
    for table, names in found.items():
        assert names in wanted.values(), f"{product}.{name}.{table} names other fields than an order"


@pytest.mark.parametrize("product", OFFERS)
def test_tables_of_inputs_name_every_field_together(product: str) -> None:
    if module(product, "plan") is None:
        return
    wanted, found = orders(product), tables(product, "plan")
    every = frozenset().union(*wanted.values())
    assert frozenset().union(*found.values()) == every, f"{product}.plan"


@pytest.mark.parametrize("product", OFFERS)
def test_refusals_name_fields_of_an_order(product: str) -> None:
    known = frozenset().union(*orders(product).values())
    for call in refusals(product):
        words = {each.arg: each.value for each in call.keywords}
        named = [*constants(call.args[0]), *constants(words.get("conflicts_with")), *braces(words.get("advice"))]
        for keyword in FIELD_KEYWORDS:
            named += constants(words.get(keyword))
        assert set(named) <= known, f"{product}.offer, line {call.lineno}: {set(named) - known}"
