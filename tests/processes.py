"""Processes that tests start."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Start = Callable[..., subprocess.Popen]
"""The fixture `start`: as `subprocess.Popen`, but what it starts ends with the test."""


@contextmanager
def started(command: list[str], **how: Any) -> Iterator[subprocess.Popen]:
    """A process for as long as the block lasts; killed if it has not ended then: a failed test leaves none."""
    with subprocess.Popen(command, **how) as process:
        try:
            yield process
        finally:
            process.kill()
