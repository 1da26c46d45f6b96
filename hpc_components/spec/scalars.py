"""Reads plain YAML scalars the same way as Pulumi, so that a preview uses the same values as `pulumi up`.

For example, `on` is a string, `1:30` is not a number, and `010` is 8. PyYAML's own constructor would read the first
two as `true` and 90. Source: resolve.go in gopkg.in/yaml.v3, the library that Pulumi uses to read stack files.
"""

import math
import re
from typing import Any

import yaml

NULL, BOOL, INT, FLOAT, TEXT, TIME, MERGE, MAPPING, SEQUENCE = (
    f"tag:yaml.org,2002:{name}"
    for name in ("null", "bool", "int", "float", "str", "timestamp", "merge", "map", "seq")
)

_LOOKS = {
    NULL: r"~|null|Null|NULL|",
    BOOL: r"true|True|TRUE|false|False|FALSE",
    INT: r"[-+]?(0|[1-9][0-9_]*|0b[01][01_]*|0o?[0-7][0-7_]*|0x[0-9a-fA-F][0-9a-fA-F_]*)",
    FLOAT: r"[-+]?(\.[0-9]+|[0-9][0-9_]*(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
    TIME: r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt ].*)?",
    MERGE: r"<<",
}

_FIRST = {
    NULL: ["", *"~nN"],
    BOOL: "tTfF",
    INT: "-+0123456789",
    FLOAT: "-+.0123456789",
    TIME: "0123456789",
    MERGE: "<",
}
"""Maps each tag to the characters that can begin its scalars, so that most words need not be matched against a
pattern."""

_MAX_NUMBER_LENGTH = 64
"""Maximum number of characters in a scalar that is parsed as a number. A 64-bit number in binary has 64 digits."""


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """PyYAML's loader, but with Pulumi's patterns for plain scalars."""

    yaml_implicit_resolvers: dict[Any, Any] = {}


for _tag, _looks in _LOOKS.items():
    Loader.add_implicit_resolver(_tag, re.compile(rf"({_looks})\Z"), [*_FIRST[_tag]])


def scalar_value(tag: str, text: str) -> str | int | float | bool | None:
    """Return a scalar's value. Raise ValueError with the reason and a remedy if Pulumi can't read the scalar."""
    if tag in (TEXT, MERGE):
        return text
    if tag == TIME:
        raise ValueError(f"Pulumi reads {text} as a timestamp; put it in quotes")
    if tag not in _LOOKS or not re.fullmatch(_LOOKS[tag], text):
        raise ValueError(f"the tag {tag} doesn't match the value {text!r}; remove the tag")
    if tag == NULL:
        return None
    return text.lower() == "true" if tag == BOOL else _number(tag, text)


def _number(tag: str, text: str) -> int | float | str:
    """Return the number, or the unchanged text if the number is too long or too large. Raise ValueError for infinity
    and NaN, which Pulumi can't store.
    """
    if tag == FLOAT and text[-1].isalpha():
        raise ValueError(f"Pulumi reads {text} as a number that it can't store; put it in quotes")
    digits = text.replace("_", "")
    if len(digits) > _MAX_NUMBER_LENGTH:
        return text
    if tag == FLOAT:
        value = float(digits)
        return value if math.isfinite(value) else text
    octal = re.fullmatch(r"([-+]?)0([0-7]+)", digits)
    return int(f"{octal[1]}0o{octal[2]}" if octal else digits, 0)
