"""What a cause is: a function that looks for one thing in the facts, and the registry of all of them."""

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module

from hpc_components.catalog.level import Level
from hpc_components.operate.doctor.facts import Facts


@dataclass(frozen=True, kw_only=True)
class Step:
    """What to type, and where."""

    command: tuple[str, ...]
    on: str = "head"
    """`head`, a node's name, or `laptop`, where the command is printed as it is."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a cause found. `Cause` adds its id and level."""

    what: str
    """A sentence with the figures that were seen."""
    why: str
    """Why it matters, and what happens by itself."""
    do: Sequence[Step] = ()
    nodes: Sequence[str] = ()
    jobs: Sequence[str] = ()


Look = Callable[[Facts], Iterator[Found]]


@dataclass(frozen=True, kw_only=True)
class Cause:
    """A cause of trouble."""

    id: str
    """Permanent, e.g. `disk-full`."""
    level: Level
    """`error`: jobs are not served. `warning`: something needs an administrator. `info`: nothing is wrong, but it
    explains why jobs wait.
    """
    title: str
    look: Look
    unless: tuple[str, ...]
    """Ids of the causes that explain this one. If one of them is found, this one is only its consequence."""
    about_node: bool
    """Whether the facts are those of one node instead of the head node's."""


_ID = re.compile(r"[a-z]+(-[a-z]+)*")
_registry: dict[str, Cause] = {}


def cause(id: str, level: Level, *, unless: Sequence[str] = (), about_node: bool = False) -> Callable[[Look], Look]:
    """Register a function as the cause `id`. Its docstring is the title.

    Causes are registered before those that they explain. Raise TypeError if the id is malformed or already used, if
    a cause in `unless` is unknown, or if the title is missing.
    """

    def register(look: Look) -> Look:
        title = inspect.cleandoc(look.__doc__ or "").replace("\n", " ").rstrip(".")
        unknown = [each for each in unless if each not in _registry]
        if not _ID.fullmatch(id) or id in _registry or unknown or not title:
            raise TypeError(f"cause {id!r} needs a new id, a docstring, and known causes in unless, not {unknown}")
        _registry[id] = Cause(id=id, level=level, title=title, look=look, unless=tuple(unless), about_node=about_node)
        return look

    return register


def all_causes() -> tuple[Cause, ...]:
    """Return all causes, those that explain others first."""
    import_module("hpc_components.operate.doctor.causes")  # registers them
    return tuple(_registry.values())
