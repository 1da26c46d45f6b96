"""Files of a Python package that nodes get as they are."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

__all__ = ["packaged_scripts", "packaged_text"]


def packaged_text(package: str, name: str) -> str:
    """The text of a file in `package`."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


def packaged_scripts(package: str) -> dict[str, str]:
    """Path in the config bucket -> text of all that is in the folder `scripts` of `package`."""
    return dict(_below(files(package) / "scripts"))


def _below(folder: Traversable, above: str = "") -> Iterator[tuple[str, str]]:
    """Path and text of every file in a folder, except what an installation compiles there."""
    for each in folder.iterdir():
        if each.name == "__pycache__":
            continue
        if each.is_dir():
            yield from _below(each, f"{above}{each.name}/")
        else:
            yield above + each.name, each.read_text(encoding="utf-8")
