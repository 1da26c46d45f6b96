"""The formats that can be converted, each brought by a cloud."""

from collections.abc import Iterator
from typing import Any, Protocol

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.convert.notes import Conversion
from hpc_components.spec.project import CLUSTER_KEY
from hpc_components.spec.source import Document, Position, UnreadableError, read_yaml

__all__ = ["SourceFormat", "converted", "formats"]


class SourceFormat(Protocol):
    """The interface of a cloud's part `convert`."""

    @property
    def title(self) -> str:
        """Its name in messages."""
        ...

    def refuse(self, text: str, file: str) -> None:
        """Raise UnreadableError, with a remedy, for a relative of the format that can't be converted.

        `text` need not be YAML.
        """
        ...

    def recognises(self, data: Any) -> bool:
        """Whether data of a YAML file is of this format."""
        ...

    def convert(self, document: Document, name: str) -> Conversion:
        """Convert a file to a cluster called `name`. UnreadableError if there is no cluster in it."""
        ...


def formats() -> Iterator[SourceFormat]:
    """Those of all clouds that have one."""
    for name in CLOUDS:
        if (found := cloud_named(name).parts.convert) is not None:
            yield found


def converted(text: str, file: str, name: str) -> Conversion:
    """Convert a file's text to a cluster called `name`; `file` is its name in messages.

    UnreadableError if it is not YAML, or nothing that can be converted.
    """
    known = list(formats())
    for each in known:
        each.refuse(text, file)
    titles = ", ".join(each.title for each in known)
    if not text.strip():
        raise UnreadableError(f"the file is empty; name a configuration of {titles}", file, Position(1, 1))
    document = read_yaml(text, file)
    if _is_stack_file(document.data):
        raise UnreadableError(f"this is a stack file already; `hpc validate {file}` judges it", file, Position(1, 1))
    found = next((each for each in known if each.recognises(document.data)), None)
    if found is None:
        raise UnreadableError(f"this is no configuration of {titles}; nothing else is read", file, Position(1, 1))
    return found.convert(document, name)


def _is_stack_file(data: Any) -> bool:
    config = data.get("config") if isinstance(data, dict) else None
    return isinstance(config, dict) and CLUSTER_KEY in config
