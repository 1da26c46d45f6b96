"""What each verb of `hpc-bill` declares."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass


def no_arguments(parser: argparse.ArgumentParser) -> None:
    pass


@dataclass(frozen=True, kw_only=True)
class Verb:
    """A verb of the command line. `do` returns the exit code, and raises OSError if Slurm can't be asked."""

    name: str
    help: str
    examples: str = ""
    do: Callable[[argparse.Namespace], int]
    arguments: Callable[[argparse.ArgumentParser], None] = no_arguments


def with_format(parser: argparse.ArgumentParser) -> None:
    """Add `--format`."""
    parser.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
