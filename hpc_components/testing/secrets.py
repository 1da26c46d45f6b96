from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hpc_components.preview.record import Recording
from hpc_components.preview.secret_looks import looks_of, secrets_in
from hpc_components.testing.asset_texts import texts_of
from hpc_components.testing.offenders import refuse, shown


def assert_no_secret(recording: Recording) -> None:
    """Assert that inputs, outputs, log messages and files contain no keys, tokens or passwords in plain text or
    base64.

    All files in assets and archives are checked, including those in folders, zip files and tar files. To fix a
    failure, mark secrets with `pulumi.Output.secret` or `config.require_secret` or, better, keep them out of the
    stack.
    """
    refuse("secrets in plain text", _findings(recording))


def _findings(recording: Recording) -> Iterator[str]:
    for resource in recording.resources:
        yield from (f"{shown(resource)}: {path} contains {look}" for path, look in secrets_in(resource.inputs))
        yield from (f"{shown(resource)}: {found}" for found in _in_files(resource.inputs, "", recording.files))
    yield from (f"stack output {path} contains {look}" for path, look in secrets_in(recording.outputs))
    for line in recording.logs:
        yield from (f"a log message contains {look}" for look in looks_of(line.text))


def _in_files(value: Any, path: str, files: Mapping[str, Path]) -> Iterator[str]:
    if isinstance(value, list):
        for position, each in enumerate(value):
            yield from _in_files(each, f"{path}[{position}]", files)
    elif isinstance(value, dict):
        given, place = value.get("path"), files.get(str(value.get("sha256")))
        for name, text in texts_of(place) if place else ():
            yield from (f"{path}: {given}{f'/{name}' if name else ''} contains {look}" for look in looks_of(text))
        for name, each in value.items():
            yield from _in_files(each, f"{path}.{name}" if path else name, files)
