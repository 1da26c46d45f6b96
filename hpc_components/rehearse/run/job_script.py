"""Reads a job script's options as sbatch does. Source: Slurm source code, src/sbatch/opt.c."""

import shlex
from collections.abc import Iterator

_NAMES = {"p": "partition", "A": "account"}

_WITHOUT_VALUE = frozenset("hHOQsvVW")
"""Short options without a value. Source: Slurm source code, src/common/slurm_opt.c, 22.05 to 25.11."""

_SHORTEST = {"partition": "part", "account": "acco"}
"""Maps long options to their shortest unambiguous abbreviations, because sbatch also accepts e.g. `--part=gpu`."""


def asked_partitions(text: str) -> list[str]:
    """Return the partitions that a job script requests, or one empty name if it requests none."""
    return _options(text).get("partition", "").split(",")


def asked_account(text: str) -> str:
    """Return the account that a job script requests, or an empty string if it requests none."""
    return _options(text).get("account", "")


def _options(text: str) -> dict[str, str]:
    """Return the options with their values.

    If an option is repeated, the last value counts. The only long options read are `account` and `partition`.
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
    """Yield what follows `#SBATCH` before the first command.

    For a heterogeneous job, only the first component is read.
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
    except ValueError:  # an unclosed quote, which sbatch refuses
        return []


def _long(word: str) -> tuple[str, str | None]:
    """Parse `partition=gpu` as `("partition", "gpu")`. The value is None if the next word is the value."""
    given, equals, value = word.partition("=")
    name = next((name for name, least in _SHORTEST.items() if given.startswith(least) and name.startswith(given)), "")
    return name, value if equals else None


def _short(letters: str) -> tuple[str, str | None]:
    """Parse `pgpu` or `Hpgpu` as `("partition", "gpu")`. The value is None if the next word is the value."""
    for place, letter in enumerate(letters, start=1):
        if letter == "k":  # the option's value is optional, and never the next word
            return "no-kill", letters[place:]
        if letter not in _WITHOUT_VALUE:
            return _NAMES.get(letter, letter), letters[place:] or None
    return "", None
