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
"""Answer that leaves out an optional part, such as the budget."""


class AnswerError(HpcError, ValueError):
    """Raised for an invalid answer. The message says what is wrong and what the user can enter instead."""


def one_of(text: str, known: Collection[str]) -> str:
    word = text.strip().lower()
    if word in known:
        return word
    near = closest_word(word, known)
    raise AnswerError(f"{text!r} is not one of {', '.join(known)}" + (f"; did you mean {near}?" if near else ""))


def count(text: str) -> int:
    word = text.strip().replace(",", "")
    if not word.isascii() or not word.isdecimal() or int(word) == 0:
        raise AnswerError(f"{text!r} is not a valid number of nodes; enter a whole number, such as 16")
    return int(word)


def yes_or_no(text: str) -> bool:
    word = text.strip().lower()
    if word not in ("y", "yes", "n", "no"):
        raise AnswerError(f"{text!r} is not a valid answer; enter yes or no")
    return word.startswith("y")


def addresses(text: str) -> tuple[str, ...]:
    """Parse e-mail addresses that are separated by commas or spaces."""
    found = tuple(text.replace(",", " ").split())
    if not found:
        raise AnswerError("budget alerts need a recipient; enter at least one e-mail address")
    return found


def ranges(text: str) -> tuple[str, ...]:
    """Parse IPv4 address ranges that are separated by commas or spaces.

    A single address is treated as a range of one.
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
    raise AnswerError(
        f"{word} is an address within {around}; enter {around} for the whole range, or the address without its "
        "prefix length"
    )


def public_key(text: str) -> str:
    """Return a public SSH key, which can be entered as text or as a file name. The cloud's rules validate the key
    later.
    """
    if text.strip().lower() == NOTHING:
        return ""
    word = text.strip()
    if "PRIVATE KEY" in word:
        raise AnswerError(
            f"this is a private key, which must stay secret; enter the file name of the public key, or {NOTHING}"
        )
    if re.match(r"(ssh|ecdsa|sk)-\S+ ", word):
        return word
    try:
        found = read_user_text(Path(word).expanduser()).strip()
    # ValueError if the file is not UTF-8, or its name contains a NUL character
    except (OSError, ValueError, RuntimeError):
        raise AnswerError(
            f"{word!r} is neither a public key nor a file that contains one; enter a file name such as "
            f"{_KEY_FILES[0]}, or {NOTHING}"
        ) from None
    if "PRIVATE KEY" in found:
        raise AnswerError(f"{word} contains a private key, which must stay secret; enter {word}.pub instead")
    return found


def users(text: str) -> dict[str, str]:
    """Parse login names with public SSH keys, such as `ada=ada.pub,ben=ssh-ed25519 AAAA...`, into keys by name."""
    if text.strip().lower() == NOTHING:
        return {}
    found: dict[str, str] = {}
    for word in filter(None, map(str.strip, text.split(","))):
        name, equals, key = (part.strip() for part in word.partition("="))
        if not (name and equals and key):
            raise AnswerError(
                f"{word!r} lacks a name or a key; write it like ada=~/.ssh/id_ed25519.pub, or {NOTHING}"
            )
        if name in found:
            raise AnswerError(f"{name} is listed twice; list each user once")
        found[name] = public_key(key)
    return found


def own_key_file() -> str | None:
    return next((name for name in _KEY_FILES if Path(name).expanduser().is_file()), None)


def money(text: str) -> float | None:
    """Parse an amount in USD, with or without `$` and commas. Return None for `none`."""
    if text.strip().lower() == NOTHING:
        return None
    try:
        amount = float(text.strip().removeprefix("$").replace(",", ""))
    except ValueError:
        amount = 0
    if not 0 < amount < inf:
        raise AnswerError(f"{text!r} is not a valid amount; enter USD per month, such as 500, or {NOTHING}")
    return amount
