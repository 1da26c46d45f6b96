"""Connects to the cloud when the daemon starts."""

import time
from collections.abc import Callable

from hpc_components.elastic.drivers.contract import Driver

DEADLINE_SECONDS = 60.0
"""Seconds for which the connection is retried. This must be less than 90, because systemd then ends a unit that is
not ready. Source: systemd-system.conf(5), DefaultTimeoutStartSec."""
PAUSE_SECONDS = 2.0
"""Time between two attempts, in seconds."""


def connected(
    connect: Callable[[], Driver],
    say: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Driver:
    """Call `connect` until the cloud answers, and return the driver that it creates.

    A metadata service may fail for a moment; `say` is then called once with a sentence about the failure. Raise
    OSError if the cloud has not answered within a minute. Raise ConfigError at once, because retrying would not help.
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
