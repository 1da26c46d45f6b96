from collections.abc import Iterator
from typing import Any, Protocol

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.convert.notes import Conversion
from hpc_components.spec.project import CLUSTER_KEY
from hpc_components.spec.source import Document, Position, UnreadableError, read_yaml


class SourceFormat(Protocol):
    """Interface that a cloud's `convert` module implements."""

    @property
    def title(self) -> str:
        """Name of the format, as shown in messages."""
        ...

    def refuse(self, text: str, file: str) -> None:
        """Raise UnreadableError, with a remedy, if the text is in a related format that can't be converted.

        `text` doesn't have to be valid YAML.
        """
        ...

    def recognises(self, data: Any) -> bool:
        """Return whether a YAML file's data is in this format."""
        ...

    def convert(self, document: Document, name: str) -> Conversion:
        """Convert a file to a cluster called `name`. Raise UnreadableError if the file does not describe a
        cluster.
        """
        ...


def formats() -> Iterator[SourceFormat]:
    for name in CLOUDS:
        if (found := cloud_named(name).parts.convert) is not None:
            yield found


def converted(text: str, file: str, name: str) -> Conversion:
    """Convert a file's text to a cluster called `name`. `file` is the file name to show in messages.

    Raise UnreadableError if the text is not YAML or is not in a known format.
    """
    known = list(formats())
    for each in known:
        each.refuse(text, file)
    titles = ", ".join(each.title for each in known)
    if not text.strip():
        raise UnreadableError(f"the file is empty; specify a configuration file for {titles}", file, Position(1, 1))
    document = read_yaml(text, file)
    if _is_stack_file(document.data):
        raise UnreadableError(
            f"this is already a stack file; to check it, run `hpc validate {file}`", file, Position(1, 1)
        )
    found = next((each for each in known if each.recognises(document.data)), None)
    if found is None:
        raise UnreadableError(
            f"this is not a configuration file for {titles}, and no other formats are supported", file, Position(1, 1)
        )
    return found.convert(document, name)


def _is_stack_file(data: Any) -> bool:
    config = data.get("config") if isinstance(data, dict) else None
    return isinstance(config, dict) and CLUSTER_KEY in config
