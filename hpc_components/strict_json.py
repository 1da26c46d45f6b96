"""Strictly parses JSON from users and repositories.

Parsed values are safe for code that recurses into them, computes with their numbers and prints their strings.
"""

import json
import math
import re
from collections import Counter
from typing import Any, NoReturn

from hpc_components.errors import HpcError

MAX_LEVELS = 100
"""Maximum nesting depth. Resource inputs have fewer than 20 levels."""

_MAX_DIGITS = 300
"""Maximum number of digits in an integer. Longer integers could overflow when converted to floats, whose limit is
1.8e308."""

_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class InvalidJsonError(HpcError, ValueError):
    """Raised if a text is not valid JSON or exceeds one of this module's limits. The message describes the problem
    and, if possible, gives the line.
    """


def parse_json(text: str, first_line: int = 1) -> Any:
    """Parse a JSON text. Raise InvalidJsonError if the text contains anything that is not allowed.

    Besides syntax errors, the following are not allowed: duplicate keys (JSON parsers disagree on which value to
    use), NaN and infinity, integers with more than 300 digits, lone surrogates, and more than 100 levels of nesting.
    `first_line` is the line number of the text's first line, for messages.
    """
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_refuse_constant, parse_float=_float, parse_int=_int
        )
    except json.JSONDecodeError as error:
        raise InvalidJsonError(
            f"line {first_line + error.lineno - 1}: this is not valid JSON ({error.msg})"
        ) from None
    except RecursionError:
        raise InvalidJsonError(f"the document has more than {MAX_LEVELS} levels of nesting") from None
    _check_depth(value)
    if _SURROGATE.search(text):
        _check_texts(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise InvalidJsonError(f"an object has the key {twice[:40]!r} more than once")
    return found


def _refuse_constant(word: str) -> NoReturn:
    raise InvalidJsonError(f"{word} is not a valid JSON number")


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise InvalidJsonError(f"the number {digits[:40]} is too large")
    return number


def _int(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise InvalidJsonError(f"the number {digits[:20]}... has {len(digits)} digits, which is too many")
    return int(digits)


def _check_depth(value: Any) -> None:
    level, depth = [value], 0
    while level := [part for each in level for part in _parts(each) if isinstance(part, dict | list)]:
        depth += 1
        if depth >= MAX_LEVELS:
            raise InvalidJsonError(f"the document has more than {MAX_LEVELS} levels of nesting")


def _parts(value: Any) -> Any:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _check_texts(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidJsonError("a string contains a lone surrogate (half of a surrogate pair)") from None
