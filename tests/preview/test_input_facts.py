"""Facts about inputs of several products of one cloud become one."""

import pytest

from hpc_components.preview.inputs.input_facts import InputFacts


def nothing(inputs: object) -> tuple[()]:
    return ()


def test_products_with_one_type_keep_all_checks_and_rules() -> None:
    home = InputFacts(properties={"Account": {"kind": {"values": ["a"]}}}, relations={"Account": (nothing,)})
    bucket = InputFacts(
        properties={"Account": {"tier": {"values": ["b"]}}}, relations={"Account": (nothing,)}, everywhere=(nothing,)
    )
    joined = InputFacts(names={"id": {"pattern": "x"}}).joined(home, bucket)
    assert set(joined.properties["Account"]) == {"kind", "tier"}
    assert joined.relations["Account"] == (nothing, nothing)
    assert (set(joined.names), joined.everywhere) == ({"id"}, (nothing,))


def test_two_rules_for_one_property_are_refused() -> None:
    facts = InputFacts(properties={"Account": {"kind": {"values": ["a"]}}})
    with pytest.raises(ValueError, match="two products have a rule for kind"):
        facts.joined(facts)
