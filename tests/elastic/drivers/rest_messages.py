"""Requests and replies of the stand-ins for REST interfaces. A driver asks for the same things again and again."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qs, unquote

Reply = tuple[int, dict[str, str], bytes]
"""Status, headers, body."""

Route = tuple[str, tuple[str, ...]]
"""The word for a request, and the names in its path."""


@lru_cache(maxsize=4096)
def query_of(text: str) -> Mapping[str, str]:
    """The query of a URL; of a name that is there twice, the first value."""
    return MappingProxyType({name: values[0] for name, values in parse_qs(text).items()})


def routing(routes: Iterable[tuple[str, str, str]]) -> Callable[[str, str], Route | None]:
    """Finds the route of a method and a path: `routes` are methods, patterns of paths, and words."""
    known = tuple(routes)

    @lru_cache(maxsize=4096)
    def route(method: str, path: str) -> Route | None:
        for verb, form, action in known:
            if verb == method and (match := re.fullmatch(form, path)):
                return action, tuple(map(unquote, match.groups()))
        return None

    return route


def json_reply(document: Any, status: int = 200) -> Reply:
    """A reply with a JSON document."""
    return status, {"content-type": "application/json"}, json.dumps(document).encode()
