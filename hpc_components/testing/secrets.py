"""Finds keys, tokens and passwords in plain text."""

import base64
import binascii
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hpc_components.preview.record import SECRET, UNKNOWN, Recording
from hpc_components.testing.asset_texts import texts_of
from hpc_components.testing.facts import stand_ins
from hpc_components.testing.offenders import refuse, shown

__all__ = ["assert_no_secret"]

_LOOKS = {
    "a private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
    "a token of GitHub": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36,}"),
    "a token of Slack": re.compile(r"\bxox[abposr]-[A-Za-z0-9-]{10,}"),
    "a JSON web token": re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\."),
    # on one line: after `local password=` a script's next line is no value
    "a password": re.compile(r"(?i)\b(?:password|passwd|storagepass)[ \t]*[=:][ \t]*['\"]?[^\s'\"$<{(]{4,}"),
}
"""What looks like a secret, whatever the cloud; `StandIn.secrets` has the credentials of each."""
_KEY_NAMES = re.compile(r"(?i)(password|secretString|secretBinary|secretKey|authToken|privateKey)$")
"""Properties that hold nothing but a secret."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")


def assert_no_secret(recording: Recording) -> None:
    """No input, output or message holds a key, token or password in plain text or base64; nor does a file of an asset
    or archive, in folders and in zip and tar files too.

    Say what is secret with `pulumi.Output.secret` or `config.require_secret`; better, keep it out of the stack.
    """
    refuse("secrets in plain text", _findings(recording))


def _findings(recording: Recording) -> Iterator[str]:
    for resource in recording.resources:
        yield from (f"{shown(resource)}: {found}" for found in _in(resource.inputs, ""))
        yield from (f"{shown(resource)}: {found}" for found in _in_files(resource.inputs, "", recording.files))
    yield from (f"stack output {found}" for found in _in(recording.outputs, ""))
    for line in recording.logs:
        yield from (f"message of the program: {look}" for look in _look(line.text))


def _in(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _in(each, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        for position, each in enumerate(value):
            yield from _in(each, f"{path}[{position}]")
    elif isinstance(value, str) and value not in (SECRET, UNKNOWN):
        looks = ["a value that is always secret"] if _KEY_NAMES.search(path) and value else list(_look(value))
        yield from (f"{path} holds {look}" for look in looks)


def _in_files(value: Any, path: str, files: Mapping[str, Path]) -> Iterator[str]:
    """What the files of assets and archives hold."""
    if isinstance(value, list):
        for position, each in enumerate(value):
            yield from _in_files(each, f"{path}[{position}]", files)
    elif isinstance(value, dict):
        given, place = value.get("path"), files.get(str(value.get("sha256")))
        for name, text in texts_of(place) if place else ():
            yield from (f"{path}: {given}{f'/{name}' if name else ''} holds {look}" for look in _look(text))
        for name, each in value.items():
            yield from _in_files(each, f"{path}.{name}" if path else name, files)


def _look(text: str) -> Iterator[str]:
    texts = [text, *filter(None, map(_decoded, _BASE64.findall(text)))]
    yield from (what for what, look in _looks().items() if any(look.search(each) for each in texts))


@cache
def _looks() -> dict[str, re.Pattern[str]]:
    return _LOOKS | {what: look for each in stand_ins() for what, look in each.secrets.items()}


def _decoded(text: str) -> str | None:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return None
