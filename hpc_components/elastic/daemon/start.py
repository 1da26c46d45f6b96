import time
from collections.abc import Callable

from hpc_components.elastic.drivers.contract import Driver

DEADLINE_SECONDS = 60.0
"""Seconds during which the connection is retried. Must be less than 90, because systemd stops a unit that is not
ready within 90 seconds. Source: systemd-system.conf(5), DefaultTimeoutStartSec."""
PAUSE_SECONDS = 2.0


def connected(
    connect: Callable[[], Driver],
    say: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Driver:
    """Call `connect` until it succeeds, and return the driver.

    The metadata service may fail briefly, so OSError is retried for a minute before it is raised. `say` is called
    once, with a message about the first failure. ConfigError is raised immediately, because retrying would not help.
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
                say(f"can't connect to the cloud; retrying for up to {DEADLINE_SECONDS:.0f} s: {error}")
                is_said = True
        sleep(PAUSE_SECONDS)
