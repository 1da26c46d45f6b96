import base64
import binascii
import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from hpc_components.cloud import CLOUDS
from hpc_components.preview.clouds import reader_of
from hpc_components.preview.resources import SECRET, UNKNOWN

_LOOKS = {
    # patterns begin with literal letters rather than `\b`, because searching is then ten times as fast
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a GitHub token": re.compile(r"gh[pousr]_[A-Za-z0-9]{36,}"),
    "a Slack token": re.compile(r"xox[abposr]-[A-Za-z0-9-]{10,}"),
    "a JSON web token": re.compile(r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\."),
    # match only within one line: after `local password=`, the next line is not the value; skip `@NAME@`, a
    # placeholder, and `str`, the type of a parameter
    "a password": re.compile(
        r"(?i)\b(?:password|passwd|storagepass)[ \t]*[=:][ \t]*['\"]?(?!@\w+@|str\b)[^\s'\"$<{(]{4,}"
    ),
}
"""Maps kinds of secrets to patterns, for all clouds. `PlanReader.secrets` adds patterns for a cloud's own
credentials."""
_KEY_NAMES = re.compile(r"(?i)(password|secretString|secretBinary|secretKey|authToken|privateKey)$")
"""Names of properties that are always secret."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")


def secrets_in(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield (path, kind of secret) for each part of a value that looks like a secret."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from secrets_in(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from secrets_in(each, f"{path}[{position}]")
    elif isinstance(value, str) and value not in (SECRET, UNKNOWN):
        looks = ["a value that must be kept secret"] if _KEY_NAMES.search(path) and value else looks_of(value)
        yield from ((path, look) for look in looks)


def looks_of(text: str) -> tuple[str, ...]:
    """Return the kinds of secrets in a text, including those in base64."""
    return _looks_of(text, tuple(CLOUDS))


@lru_cache(maxsize=4096)  # many machines share the same user data, and many inputs are identical
def _looks_of(text: str, clouds: tuple[str, ...]) -> tuple[str, ...]:
    texts = [text, *filter(None, map(_decoded, _BASE64.findall(text)))]
    return tuple(what for what, look in _looks(clouds).items() if any(look.search(each) for each in texts))


@cache
def _looks(clouds: tuple[str, ...]) -> dict[str, re.Pattern[str]]:
    return _LOOKS | {what: look for cloud in clouds for what, look in reader_of(cloud).secrets.items()}


def _decoded(text: str) -> str | None:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
