"""How an update waits for a machine, without a clock."""

import asyncio
from collections.abc import Iterable, Iterator

import pytest

from hpc_components.gcp.image_builder.waiting import PAUSE_SECONDS, ImageError, Seen, wait_for_result


def waited(seen: Iterable[Seen], seconds: int = 600) -> int:
    """Wait for a machine that is seen like this. Return the number of pauses."""
    looks: Iterator[Seen] = iter(seen)
    pauses = []

    async def sleep(pause: float) -> None:
        pauses.append(pause)

    asyncio.run(wait_for_result("image cpu: bake", lambda: next(looks), seconds=seconds, sleep=sleep))
    assert set(pauses) <= {PAUSE_SECONDS}
    return len(pauses)


def test_result_counts_only_when_the_machine_is_off():
    assert waited([Seen("PROVISIONING"), Seen("RUNNING"), Seen("STOPPING", "ok"), Seen("TERMINATED", "ok")]) == 3


@pytest.mark.parametrize(
    ("last", "words"),
    [
        (Seen("TERMINATED", "failed: no space left"), "no space left"),
        (Seen("TERMINATED"), "without a result"),
        (Seen("STOPPED", ""), "without a result"),
    ],
)
def test_anything_else_is_an_error(last: Seen, words: str):
    with pytest.raises(ImageError, match=words):
        waited([Seen("RUNNING"), last])


def test_machine_that_never_ends_is_given_up():
    with pytest.raises(ImageError, match="still runs after 10 minutes"):
        waited([Seen("RUNNING")] * 100)
