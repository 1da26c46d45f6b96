"""Puts another value in the place of an attribute for a while."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

__all__ = ["replaced"]


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Generator[None]:
    """What `unittest.mock.patch.object` does, which would import all of `unittest`."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)
