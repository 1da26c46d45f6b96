import base64
import binascii
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hpc_components.preview.clouds import reader_of
from hpc_components.preview.resources import SECRET, UNKNOWN, Resources


@dataclass(frozen=True, kw_only=True)
class GeneratedFile:
    name: str
    """Key of the object in the bucket, or `USER_DATA` for a first-boot script."""
    text: str
    used_by: tuple[str, ...]
    """Logical names of the resources that contain the file."""

    @property
    def group(self) -> str:
        if "/slurm/" in self.name:
            return "Slurm"
        if "elastic" in self.name or "/programs/" in self.name:
            return "Elastic nodes"
        ours = self.name.startswith(("boot/", "common/", "head/", "login/", "compute/")) or self.name == USER_DATA
        return "First boot" if ours else "Other"


USER_DATA = "user data"

BUNDLES = "images/"
"""Prefix of the scripts that make images."""

GROUPS = ("Slurm", "Elastic nodes", "First boot", "Other")
"""Groups of generated files, in display order."""


def grouped(files: Iterable[GeneratedFile]) -> list[tuple[str, list[GeneratedFile]]]:
    """Return the non-empty groups in the order of `GROUPS`. In each group, slurm.conf comes first, and the other
    files are sorted by name.
    """
    found: dict[str, list[GeneratedFile]] = {}
    for file in sorted(files, key=lambda file: (not file.name.endswith("/slurm.conf"), file.name)):
        found.setdefault(file.group, []).append(file)
    return [(group, found[group]) for group in GROUPS if group in found]


def generated_files(resources: Resources, cloud: str) -> tuple[GeneratedFile, ...]:
    """Return all text files in `resources`, sorted by name. Files with the same name and text are merged."""
    reader = reader_of(cloud)
    carriers: dict[tuple[str, str], list[str]] = {}
    for resource in resources:
        for name, text in reader.files(resource):
            if name.startswith(BUNDLES):
                continue  # archives, which no reader can compare
            carriers.setdefault((name, text), []).append(resource.name)
    return tuple(
        GeneratedFile(name=name, text=text, used_by=tuple(sorted(used_by)))
        for (name, text), used_by in sorted(carriers.items())
    )


def asset_text(value: Any) -> str | None:
    """Return the text of an input that is a Pulumi string asset, or None for any other input."""
    asset = value.get("asset") if isinstance(value, Mapping) else None
    text = asset.get("text") if isinstance(asset, Mapping) else None
    return text if isinstance(text, str) and text not in (SECRET, UNKNOWN) else None


def decoded(value: str) -> str | None:
    """Return user data as text, decoding it if it is base64. Return None if the decoded data is not text."""
    if "\n" in value or value.startswith("#"):
        return value
    try:
        return base64.b64decode(value, validate=True).decode()
    except binascii.Error:
        return value
    except UnicodeDecodeError:
        return None
