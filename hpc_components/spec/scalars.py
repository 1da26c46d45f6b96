"""Reads plain YAML scalars in the same way as Pulumi, so that a preview uses the same values as `pulumi up`.

`on` is a string, `1:30` is not a number, and `010` is eight. PyYAML's own constructor would read the first two as
`true` and 90. Source: gopkg.in/yaml.v3, resolve.go, with which Pulumi reads stack files.
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
"""Maps each tag other than str to the pattern of the plain YAML scalars that resolve to it."""

_FIRST = {
    NULL: ["", *"~nN"],
    BOOL: "tTfF",
    INT: "-+0123456789",
    FLOAT: "-+.0123456789",
    TIME: "0123456789",
    MERGE: "<",
}
"""Maps each tag to the possible first characters of its scalars, so that most words needn't be matched at all."""

_MAX_NUMBER_LENGTH = 64
"""Maximum number of digits, without the sign, to parse as a number: a 64-bit number has this many in binary."""


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """PyYAML's loader with the patterns above for plain scalars."""

    yaml_implicit_resolvers: dict[Any, Any] = {}


for _tag, _looks in _LOOKS.items():
    Loader.add_implicit_resolver(_tag, re.compile(rf"({_looks})\Z"), [*_FIRST[_tag]])


def scalar_value(tag: str, text: str) -> str | int | float | bool | None:
    """Return a scalar's value. If Pulumi can't read it, raise ValueError with the reason and a remedy."""
    if tag in (TEXT, MERGE):
        return text
    if tag == TIME:
        raise ValueError(f"Pulumi reads {text} as a point in time; put it in quotes")
    if tag not in _LOOKS or not re.fullmatch(_LOOKS[tag], text):
        raise ValueError(f"the tag {tag} does not fit {text!r}; remove it")
    if tag == NULL:
        return None
    return text.lower() == "true" if tag == BOOL else _number(tag, text)


def _number(tag: str, text: str) -> int | float | str:
    """Return the number, or the text unchanged if it is too long or too large. Raise ValueError if Pulumi can't store
    it."""
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
