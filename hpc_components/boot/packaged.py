"""Reads package files that are copied to nodes unchanged."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable


def packaged_text(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def packaged_scripts(package: str) -> dict[str, str]:
    """Return the files in the `scripts` folder of `package`, as a mapping from path in the config bucket to text."""
    return dict(_below(files(package) / "scripts"))


def _below(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    for each in folder.iterdir():
        if each.name == "__pycache__":
            continue
        if each.is_dir():
            yield from _below(each, f"{above}{each.name}/")
        else:
            yield above + each.name, each.read_text(encoding="utf-8")
