"""What a remedy says to type, as changes of the description, one for each alternative that it offers."""

import copy
import re
from collections.abc import Iterator, Sequence
from typing import Any

import yaml

from hpc_components.spec.findings import Change, Finding, Path
from hpc_components.spec.parsing import model_of
from hpc_components.spec.schema_walk import type_at, value_at

FLOW = r"\{.*\}|\[[^\]]*\]|[^\s,;{\[][^\s,;]*"
"""A value in YAML's flow style, or a word."""

VALUE = rf"(?P<value>{FLOW})"
THING = r"(?:entry|key|limit|setting|zone)"
WHICH = r"(?:either|the queue's)"
BOUND = r"(?:at most|at least|a percentage from)"
END = r"(?=$|[,;.)]?\s|[,;.]$)"
PATTERNS = (
    (re.compile(rf"(?:leave (?:it|this)(?: here)? out|remove (?:it|this {THING}))\b"), "remove"),
    (re.compile(rf"(?:remove|leave)(?: {WHICH})? (?P<key>[\w.-]+)(?:: [^\s,;]+)?(?: out)?{END}"), "remove_key"),
    (re.compile(r"did you mean (?P<value>[^\s?]+)\?"), "set"),
    (re.compile(rf"(?:use|write)(?: {BOUND})? {VALUE}(?=$|[,;]| or (?!arm64)| if | to \d)"), "set"),
)
"""The phrases that remedies begin with, and what they ask for."""

OFFER = re.compile(r"; or |, or |; | or (?=[\w.]+: |use |remove |leave |add |set )")
"""Between two alternatives."""

SET_TO = re.compile(r"\bset ([\w.]+) to ([^\s,;]+)(?=$|,| if | or )")
"""A key and its value, in words."""


def parts_of(path: str) -> Path:
    """A dotted path as its parts; keys with dots in them are not told apart."""
    return tuple(int(number) if number else word for number, word in re.findall(r"\[(\d+)\]|([^.\[\]]+)", path))


def alternatives(finding: Finding, described: Any) -> Iterator[tuple[Change, ...]]:
    """The changes that a finding proposes: its fix, or what can be read from its remedy."""
    if finding.fix:
        yield finding.fix
        return
    path = parts_of(finding.path)
    verb = "use "
    for offer in OFFER.split(SET_TO.sub(r"set \1: \2", finding.remedy.replace("`", ""))):
        begins = re.match(r"(use|write|add|set|remove|leave|did you) ", offer)
        verb = begins[0] if begins and begins[1] in ("use", "write", "add", "set") else verb
        if begins or re.match(r"[\w.]+: ", offer):
            text = offer if begins else verb + offer
            if found := _changes(text, path, described, known=finding.value is not None):
                yield found


def _changes(text: str, path: Path, described: Any, *, known: bool) -> tuple[Change, ...] | None:
    if re.search(r"\.\.\.|<\w|\$|: (?:the|what|it) |e\.g\.|'s addresses| to one$", text):
        return None
    if re.search(r" zones in that region| with a ", text):
        return None
    pairs = re.findall(rf"(?:^(?:use|write|add|set) | with | and )([A-Za-z][\w.]*): ({FLOW})", text)
    if pairs and re.match(rf"(?:use|write|add|set) {re.escape(pairs[0][0])}: ", text):
        places = [_place(path, key, described) for key, _ in pairs]
        values = [_value(value, None) for _, value in pairs]
        removed = [_place(path, key, described) for key in re.findall(r" (?:without|and remove) ([a-z_]+)", text)]
        changes = [Change(at, value) for at, value in zip(places, values, strict=True) if at]
        changes += [Change(at) for at in removed if at and value_at(described, at) is not None]
        return tuple(changes) if len(changes) >= len(pairs) and None not in values else None
    for pattern, what in PATTERNS:
        match = pattern.match(text)
        if match is None:
            continue
        given = match.groupdict()
        if what == "remove":
            return (Change(path),)
        if what == "remove_key":
            keys = [given["key"], *re.findall(r" and ([a-z_]+)$", text)]
            places = [_place(path, key, described) for key in keys]
            return tuple(Change(at) for at in places if at and value_at(described, at) is not None) or None
        old = value_at(described, path)
        value = _value(given["value"], old)
        if value is None:
            return None
        plain = isinstance(value, str) and value.isalpha() and "did you" not in text and text.rstrip() != match[0]
        if not known or plain or isinstance(old, dict | list) or (isinstance(old, str) and value in (0, 1)):
            return None
        return (Change(path, value),)
    return None


def _value(text: str, old: Any) -> Any:
    """The value as YAML reads it; text where text was there."""
    if re.fullmatch(r"[\d-]+(:\d\d)+", text):
        return text  # a time, which YAML would read as a number
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        return None
    if isinstance(old, str) and isinstance(value, int | float) and not isinstance(value, bool):
        return text if re.fullmatch(r"[\d.]+", old) else None
    return value


def _place(path: Path, key: str, described: Any) -> Path | None:
    """Where a key stands that a remedy names: as the finding's own or above it, in it, beside it, or at the top."""
    model, words = model_of(described["cloud"]), tuple(key.split("."))
    if path[-1:] == words:
        return path
    if words[0] in path and len(words) == 1:
        return path[: path.index(words[0]) + 1]
    lengths = range(len(path), -1, -1) if len(words) == 1 else range(len(path) + 1)
    for length in lengths:
        at = (*path[:length], *words)
        if type_at(model, described, at) is not None and not isinstance(value_at(described, at[:-1]), list):
            return at
    return None


def applied(changes: Sequence[Change], described: Any) -> Any:
    """A copy of the description with the changes; None where one of them has no place in it."""
    found = copy.deepcopy(described)
    for change in changes:
        holder = found
        for part in change.path[:-1]:
            if isinstance(holder, dict) and change.value is not None:
                holder = holder.setdefault(part, {})
            else:
                holder = value_at(holder, (part,))
        last = change.path[-1]
        try:
            if change.value is None:
                del holder[last]
            elif isinstance(change.value, dict) and isinstance(holder.get(last), dict):
                holder[last] |= change.value
            else:
                holder[last] = change.value
        except (AttributeError, KeyError, IndexError, TypeError):
            return None
    return found
