"""Parses answers as users type them."""

import re
from collections.abc import Collection
from ipaddress import IPv4Network
from math import inf
from pathlib import Path

from hpc_components.errors import HpcError
from hpc_components.user_files import read_user_text
from hpc_components.wording import closest_word

_KEY_FILES = ("~/.ssh/id_ed25519.pub", "~/.ssh/id_rsa.pub")

NOTHING = "none"
"""The answer that omits an optional part, e.g. the budget."""


class AnswerError(HpcError, ValueError):
    """Raised if an answer can't be accepted. The message says why, and what the user can answer instead."""


def one_of(text: str, known: Collection[str]) -> str:
    """Return the known word that equals `text`, ignoring case."""
    word = text.strip().lower()
    if word in known:
        return word
    near = closest_word(word, known)
    raise AnswerError(f"{text!r} is not one of {', '.join(known)}" + (f"; did you mean {near}?" if near else ""))


def count(text: str) -> int:
    """Parse a node count, which must be at least 1."""
    word = text.strip().replace(",", "")
    if not word.isascii() or not word.isdecimal() or int(word) == 0:
        raise AnswerError(f"{text!r} is not a number of nodes; write one like 16")
    return int(word)


def yes_or_no(text: str) -> bool:
    """Return True for `yes` and `y`, False for `no` and `n`."""
    word = text.strip().lower()
    if word not in ("y", "yes", "n", "no"):
        raise AnswerError(f"{text!r} is neither yes nor no")
    return word.startswith("y")


def addresses(text: str) -> tuple[str, ...]:
    """Parse a list of e-mail addresses separated by commas or spaces."""
    found = tuple(text.replace(",", " ").split())
    if not found:
        raise AnswerError("budget alerts need a recipient; give an e-mail address")
    return found


def ranges(text: str) -> tuple[str, ...]:
    """Parse a list of IPv4 address ranges separated by commas or spaces.

    A single address counts as a range of one address.
    """
    if text.strip().lower() == NOTHING:
        return ()
    return tuple(map(_range, text.replace(",", " ").split()))


def _range(word: str) -> str:
    try:
        return str(IPv4Network(word))
    except ValueError:
        pass
    try:
        around = IPv4Network(word, strict=False)
    except ValueError:
        raise AnswerError(
            f"{word!r} is not an IPv4 address range; write it like 203.0.113.0/24 or 203.0.113.7, or write {NOTHING}"
        ) from None
    raise AnswerError(f"{word} is an address in {around}; write {around}, or the address alone")


def public_key(text: str) -> str:
    """Return a public SSH key, specified as text or by its file name. The key itself is checked by the cloud's
    rules."""
    if text.strip().lower() == NOTHING:
        return ""
    word = text.strip()
    if "PRIVATE KEY" in word:
        raise AnswerError(
            f"that is a private key, which must stay secret; name the file of the public key, or {NOTHING}"
        )
    if re.match(r"(ssh|ecdsa|sk)-\S+ ", word):
        return word
    try:
        found = read_user_text(Path(word).expanduser()).strip()
    except (OSError, ValueError, RuntimeError):  # ValueError: not UTF-8, or NUL in the name
        raise AnswerError(
            f"{word!r} is neither a public key nor a file with one; write its file like {_KEY_FILES[0]}, or {NOTHING}"
        ) from None
    if "PRIVATE KEY" in found:
        raise AnswerError(f"{word} has the private key, which must stay secret; name {word}.pub")
    return found


def own_key_file() -> str | None:
    """Return the name of the user's public SSH key file, or None if no such file is in the usual places."""
    return next((name for name in _KEY_FILES if Path(name).expanduser().is_file()), None)


def money(text: str) -> float | None:
    """Parse an amount of money, written with or without `$` and commas. Return None for `none`."""
    if text.strip().lower() == NOTHING:
        return None
    try:
        amount = float(text.strip().removeprefix("$").replace(",", ""))
    except ValueError:
        amount = 0
    if not 0 < amount < inf:
        raise AnswerError(f"{text!r} is not an amount of money; write USD a month like 500, or {NOTHING}")
    return amount
