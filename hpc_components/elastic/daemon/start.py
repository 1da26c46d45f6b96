"""Connecting to the cloud when the daemon starts."""

import time
from collections.abc import Callable

from hpc_components.elastic.drivers.contract import Driver

DEADLINE_SECONDS = 60.0
"""Seconds for which the connection is retried: less than the 90 s after which systemd ends a unit that is not ready.
Source: systemd-system.conf(5), DefaultTimeoutStartSec."""
PAUSE_SECONDS = 2.0
"""Seconds between two attempts."""


def connected(
    connect: Callable[[], Driver],
    say: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Driver:
    """Return the driver that `connect` creates, once the cloud answers.

    A metadata service may fail for a moment; `say` gets one sentence about it. Raise OSError after a minute, and
    ConfigError at once, since retrying does not help.
    """
    deadline = clock() + DEADLINE_SECONDS
    is_said = False
    while True:
        try:
            return connect()
        except OSError as error:
            if clock() + PAUSE_SECONDS > deadline:
                raise
            if not is_said:
                say(f"the cloud does not answer; retrying for {DEADLINE_SECONDS:.0f} s: {error}")
                is_said = True
        sleep(PAUSE_SECONDS)
