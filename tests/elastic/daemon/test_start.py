"""Reaching the cloud when the daemon starts: each driver connects by its metadata service."""

from collections.abc import Callable

import pytest

from hpc_components.elastic.config import ConfigError
from hpc_components.elastic.daemon.start import DEADLINE_SECONDS, connected


class Cloud:
    """Fails so many times, each with the same error; its clock goes on while the daemon sleeps."""

    def __init__(self, failures: int, error: Exception) -> None:
        self.failures, self.error = failures, error
        self.now = 0.0
        self.said: list[str] = []

    def connect(self) -> object:
        if self.failures:
            self.failures -= 1
            raise self.error
        return self

    def sleep(self, seconds: float) -> None:
        self.now += seconds

    def connected(self) -> object:
        connect: Callable = self.connect
        return connected(connect, self.said.append, clock=lambda: self.now, sleep=self.sleep)


def test_metadata_service_that_fails_for_a_moment_is_asked_again() -> None:
    cloud = Cloud(5, OSError("metadata: HTTP 503"))
    assert cloud.connected() is cloud
    assert cloud.said == ["can't connect to the cloud; retrying for up to 60 s: metadata: HTTP 503"]
    assert 0 < cloud.now < DEADLINE_SECONDS


def test_metadata_service_that_never_answers_ends_the_daemon_in_time() -> None:
    cloud = Cloud(10_000, OSError("no route to host"))
    with pytest.raises(OSError, match="no route to host"):
        cloud.connected()
    assert DEADLINE_SECONDS - 5 < cloud.now <= DEADLINE_SECONDS


def test_configuration_that_lacks_something_is_refused_at_once() -> None:
    cloud = Cloud(1, ConfigError("hpc:config: missing"))
    with pytest.raises(ConfigError):
        cloud.connected()
    assert (cloud.now, cloud.said) == (0.0, [])
