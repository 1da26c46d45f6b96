import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from hpc_components.preview.files import asset_text
from hpc_components.review.document import FileChange, PropertyChange
from hpc_components.wording import plural

_LINE_CHARACTERS = 300


@dataclass(frozen=True, kw_only=True)
class TextDiff:
    name: str
    note: str
    """Summary, e.g. `3 lines added, 2 removed`."""
    one_sided: bool
    lines: tuple[str, ...]
    """Hunks of a unified diff, without the header. Empty if the file is packed (`.b64`)."""


def diffs_of(files: Iterable[FileChange]) -> list[TextDiff]:
    """Return the files' diffs: slurm.conf first, then files that exist on both sides, then files on one side only.

    Each group is sorted by name.
    """
    found = [diff_of(file) for file in files]
    return sorted(found, key=lambda diff: (not _is_slurm_conf(diff.name), diff.one_sided, diff.name))


def text_note(change: PropertyChange) -> str:
    """Return a summary of a changed multi-line text or file, or "" for any other input."""
    before, after = (asset_text(value) or value for value in (change.before, change.after))
    if isinstance(before, str) and isinstance(after, str) and "\n" in before and "\n" in after:
        return diff_of(FileChange(name=change.path, before=before, after=after)).note
    return "another file" if all(map(_is_file, (change.before, change.after))) else ""


def _is_file(value: object) -> bool:
    return isinstance(value, Mapping) and bool({"asset", "archive"} & value.keys())


def _is_slurm_conf(name: str) -> bool:
    return name.rpartition("/")[2] == "slurm.conf"


def diff_of(file: FileChange) -> TextDiff:
    lines = () if file.name.endswith(".b64") else tuple(_hunks(file))
    one_sided = not (file.before and file.after)
    return TextDiff(name=file.name, note=_note(file, lines), one_sided=one_sided, lines=lines)


def _hunks(file: FileChange) -> Iterator[str]:
    before, after = (text.removesuffix("\n").split("\n") if text else [] for text in (file.before, file.after))
    for line in list(difflib.unified_diff(before, after, lineterm=""))[2:]:
        yield line if len(line) <= _LINE_CHARACTERS else f"{line[:_LINE_CHARACTERS]}…"


def _note(file: FileChange, lines: tuple[str, ...]) -> str:
    """Return the summary. Line counts of packed and one-sided files are omitted, because they would not help a
    reviewer.
    """
    packed = "packed, " if file.name.endswith(".b64") else ""
    if not (file.before and file.after):
        return packed + ("new" if file.after else "gone" if file.before else "an empty file on one side only")
    if packed:
        return f"{packed}changed"
    if not lines:
        return "only the newline at the end differs"
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    return f"{plural(added, 'line')} added, {removed:,} removed"
