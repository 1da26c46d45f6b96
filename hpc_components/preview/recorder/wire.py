"""Converts Pulumi's wire format to plain JSON types. Secrets and unknown values are replaced by markers, and file
contents by hashes.
"""

import hashlib
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from google.protobuf import empty_pb2, struct_pb2

from hpc_components.preview.resources import SECRET, UNKNOWN

# protobuf creates these at import time, so type checkers can't see them
Empty: Any = empty_pb2.Empty  # ty: ignore[missing-attribute]
Struct: Any = struct_pb2.Struct  # ty: ignore[missing-attribute]
Value: Any = struct_pb2.Value  # ty: ignore[missing-attribute]

# Protocol markers, as defined in sdk/go/common/resource/plugin/rpc.go and sig.go in the Pulumi repository.
_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
_SIGNATURE = "4dabf18193072939515e22adb298388d"
_SIG_SECRET = "1b47061264138c4ac30d75fd1eb44270"
_SIG_ASSET = "c44067f5952c0a294b673a41bacd8c17"
_SIG_ARCHIVE = "0def7320c3a5731c473e5ecbe6d01bc7"
_SIG_RESOURCE = "5cf8f73096256a8f31e491e813e4eb8e"

_SHORTEST_SECRET = 4
"""Minimum length, in characters, of secrets that are removed from messages. Shorter secrets would match everyday
words."""


class WireReader:
    """Converts values from the SDK to plain JSON types, and collects secrets so that messages can be redacted."""

    def __init__(self, project_root: Path) -> None:
        self._root = project_root
        self._secrets: set[str] = set()
        self.files: dict[str, Path] = {}
        """Maps content hashes to the files and folders in assets and archives."""

    def struct(self, struct: Any) -> dict[str, Any]:
        """Convert a property bag to a dict sorted by name. Relative file names are resolved against the working
        directory.
        """
        return {name: self.value(struct.fields[name]) for name in sorted(struct.fields)}

    def text(self, text: str) -> str:
        return UNKNOWN if text == _UNKNOWN else text

    def value(self, value: Any) -> Any:
        match value.WhichOneof("kind"):
            case "string_value":
                return self.text(value.string_value)
            case "number_value":
                return int(value.number_value) if value.number_value.is_integer() else value.number_value
            case "bool_value":
                return value.bool_value
            case "list_value":
                return [self.value(each) for each in value.list_value.values]
            case "struct_value":
                return self._object(value.struct_value)
        return None

    def without_secrets(self, text: str) -> str:
        for secret in sorted(self._secrets, key=lambda each: (-len(each), each)):
            text = text.replace(secret, SECRET)
        return text

    def _object(self, struct: Any) -> Any:
        if _SIGNATURE not in struct.fields:
            return self.struct(struct)
        match struct.fields[_SIGNATURE].string_value:
            case sig if sig == _SIG_SECRET:
                self._secrets.update(_texts(self.value(struct.fields["value"])))
                return SECRET
            case sig if sig == _SIG_ASSET:
                return {"asset": self._file_like(self._rest(struct))}
            case sig if sig == _SIG_ARCHIVE:
                return {"archive": self._file_like(self._rest(struct))}
            case sig if sig == _SIG_RESOURCE:
                return self.value(struct.fields["urn"])
            case sig:
                raise ValueError(f"the Pulumi SDK sent a value of an unknown kind (signature {sig})")

    def _rest(self, struct: Any) -> dict[str, Any]:
        return {name: self.value(struct.fields[name]) for name in sorted(struct.fields) if name != _SIGNATURE}

    def _file_like(self, described: dict[str, Any]) -> dict[str, Any]:
        if "path" in described and described["path"] not in (SECRET, UNKNOWN):
            path = Path(described["path"]).absolute()
            digest = _hash_of(path, described["path"])
            self.files[digest] = path
            return {"path": self._portable(path), "sha256": digest}
        if "text" in described and described["text"] not in (SECRET, UNKNOWN):
            return {"text": described["text"], "sha256": hashlib.sha256(described["text"].encode()).hexdigest()}
        return described

    def _portable(self, path: Path) -> str:
        """Return a path that is the same on every machine.

        Paths inside the project are relative to it. Other paths are relative to an entry in Python's search path.
        """
        installed = "site-packages" in path.parts
        if path.is_relative_to(self._root) and not installed:
            return path.relative_to(self._root).as_posix()
        places = [Path(place).absolute() for place in sys.path if place]
        around = [place for place in places if path.is_relative_to(place)]
        return path.relative_to(max(around, key=lambda p: len(p.parts))).as_posix() if around else path.name


def to_struct(values: Mapping[str, Any]) -> Any:
    """Convert plain JSON values to the SDK's wire format. `<unknown>` becomes an unknown value."""
    struct = Struct()
    struct.update({name: _on_wire(value) for name, value in values.items()})
    return struct


def secret_value(value: Any) -> Any:
    """Mark a value as secret, unless it already is. None becomes an unknown secret."""
    if value is not None and _SIGNATURE in value.struct_value.fields:
        return value
    struct = Struct()
    struct.fields[_SIGNATURE].string_value = _SIG_SECRET
    struct.fields["value"].CopyFrom(value or Value(string_value=_UNKNOWN))
    return Value(struct_value=struct)


def _on_wire(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _on_wire(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_on_wire(each) for each in value]
    return _UNKNOWN if value == UNKNOWN else value


def _texts(value: Any) -> Iterable[str]:
    """Yield all texts in a secret value. Multi-line texts are followed by their individual lines, because messages
    often quote a single line.
    """
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _texts(each)
    elif isinstance(value, str) and value not in (SECRET, UNKNOWN):
        yield from (text for text in [value, *value.splitlines()] if len(text.strip()) >= _SHORTEST_SECRET)


def _hash_of(path: Path, given: str) -> str:
    """Return the SHA-256 hash of a file or directory. For a directory, hash the sorted relative file names and all
    file contents.
    """
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    if not path.is_dir():
        raise FileNotFoundError(f"the file {given!r}, which an asset or archive refers to, does not exist")
    digest = hashlib.sha256()
    for each in sorted(each for each in path.rglob("*") if each.is_file() and "__pycache__" not in each.parts):
        digest.update(f"{each.relative_to(path).as_posix()}\0{each.stat().st_size}\0".encode())
        with each.open("rb") as file:
            while part := file.read(2**20):
                digest.update(part)
    return digest.hexdigest()
