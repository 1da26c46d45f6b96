"""For tests that look up what is there: a plain failure instead of an attribute of None."""

from typing import TypeVar

from hpc_components.catalog import Machine, machine

T = TypeVar("T")


def present(value: T | None) -> T:
    assert value is not None
    return value


def held(cloud: str, name: str) -> Machine:
    return present(machine(cloud, name))
