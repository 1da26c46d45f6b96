"""Reads options from a job script in the same way as sbatch. Source: Slurm source code, src/sbatch/opt.c."""

import shlex
from collections.abc import Iterator

_NAMES = {"p": "partition", "A": "account"}

_WITHOUT_VALUE = frozenset("hHOQsvVW")
"""Short options that take no value. Source: Slurm source code, src/common/slurm_opt.c, 22.05 to 25.11."""

_SHORTEST = {"partition": "part", "account": "acco"}
"""Maps long options to their shortest unambiguous abbreviations. For example, sbatch accepts `--part=gpu`."""


def asked_partitions(text: str) -> list[str]:
    """Return the partitions that a job script requests, or a list with one empty name if it requests none."""
    return _options(text).get("partition", "").split(",")


def asked_account(text: str) -> str:
    return _options(text).get("account", "")


def _options(text: str) -> dict[str, str]:
    """Return the options and their values.

    If an option is repeated, the last value wins. Of the long options, only `account` and `partition` are read.
    """
    found: dict[str, str] = {}
    words = iter([word for line in _lines(text) for word in _words(line)])
    for word in words:
        if word.startswith("--"):
            name, value = _long(word[2:])
        elif word.startswith("-"):
            name, value = _short(word[1:])
        else:
            continue
        if name:
            found[name] = next(words, "") if value is None else value
    return found


def _lines(text: str) -> Iterator[str]:
    """Yield the text after `#SBATCH` from each line before the first command.

    Only the first component of a heterogeneous job is read.
    """
    for line in text.splitlines():
        if line.startswith("#SBATCH"):
            asked = line.removeprefix("#SBATCH")
            if asked.strip().lower().split(maxsplit=1)[:1] in (["hetjob"], ["packjob"]):
                return
            yield asked
        elif line.strip() and not line.lstrip().startswith("#"):
            return


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:  # unclosed quote, which sbatch rejects
        return []


def _long(word: str) -> tuple[str, str | None]:
    """Parse `partition=gpu` as `("partition", "gpu")`. The value is None if the next word contains it."""
    given, equals, value = word.partition("=")
    name = next((name for name, least in _SHORTEST.items() if given.startswith(least) and name.startswith(given)), "")
    return name, value if equals else None


def _short(letters: str) -> tuple[str, str | None]:
    """Parse `pgpu` or `Hpgpu` as `("partition", "gpu")`. The value is None if the next word contains it."""
    for place, letter in enumerate(letters, start=1):
        if letter == "k":  # takes an optional value, which is never the next word
            return "no-kill", letters[place:]
        if letter not in _WITHOUT_VALUE:
            return _NAMES.get(letter, letter), letters[place:] or None
    return "", None
