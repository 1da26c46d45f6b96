import time

import pytest

from elastic.drivers.contract import NoticesContract
from elastic.drivers.fake_events import FakeEvents, fake_events
from hpc_components.elastic.drivers.azure.identity import Metadata
from hpc_components.elastic.drivers.azure.notices import ScheduledEvents
from hpc_components.elastic.drivers.contract import NoticeKind

AT = 1789719720.0

EVENTS = {NoticeKind.SPOT: "Preempt", NoticeKind.MAINTENANCE: "Reboot", NoticeKind.PAUSE: "Freeze"}


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def service():
    with fake_events() as server:
        yield server


class EventsDouble:
    """Scheduled events as the contract turns their knobs."""

    def __init__(self, service: FakeEvents) -> None:
        self.source = ScheduledEvents(Metadata(service.url))
        self._service = service

    def announce(self, kind: NoticeKind) -> bool:
        if kind not in EVENTS:
            return False
        self._service.add(EVENTS[kind])
        return True

    def fail(self) -> None:
        self._service.broken = True

    def garble(self) -> None:
        self._service.text = "nonsense"


class TestAzureNotices(NoticesContract):
    @pytest.fixture
    def notices(self, service):
        return EventsDouble(service)


def notices(service):
    found = ScheduledEvents(Metadata(service.url)).read()
    return [(notice.kind, notice.at, notice.words) for notice in found]


def test_a_spot_notice_is_read(service):
    service.add("Preempt")
    assert notices(service) == [(NoticeKind.SPOT, AT, "spot notice: the machine ends at 08:22:00")]


def test_a_freeze_is_no_maintenance(service):
    """It pauses the machine for seconds; a drain would keep jobs away until the longest one here has ended."""
    service.add("Freeze")
    assert notices(service) == [(NoticeKind.PAUSE, AT, "pause of a few seconds, Freeze at 2026-09-18 08:22")]


@pytest.mark.parametrize("kind", ["Reboot", "Redeploy", "Terminate"])
def test_a_maintenance_event_is_a_notice(kind, service):
    service.add(kind)
    assert notices(service) == [(NoticeKind.MAINTENANCE, AT, f"maintenance, {kind} at 2026-09-18 08:22")]


def test_events_of_other_machines_are_none_of_ours(service):
    service.add("Preempt", "cfd-cpu-hb176rs-v4-1_1", "cfd-cpu-hb176rs-v4-1_121")
    assert notices(service) == []


def test_what_has_begun_has_the_time_at_which_it_was_first_seen(service):
    now = [1000.0]
    source = ScheduledEvents(Metadata(service.url), lambda: now[0])
    service.add("Preempt", NotBefore="", EventStatus="Started")
    (first,) = source.read()
    now[0] = 1005.0
    assert list(source.read()) == [first]
    assert first.at == 1000.0


def test_an_event_is_never_acknowledged(service):
    service.add("Reboot")
    notices(service)
    assert service.posted == 0


@pytest.mark.parametrize(
    "text", ["nonsense", "[]", "{}", '{"Events": [{}]}', '{"Events": 5}', '{"Events": [{"Resources": 5}]}']
)
def test_what_is_not_understood_is_an_os_error(text, service):
    service.text = text
    with pytest.raises(OSError, match="unexpected response"):
        notices(service)


def test_a_time_that_is_none_is_an_os_error(service):
    service.add("Preempt", NotBefore="tomorrow")
    with pytest.raises(OSError, match="unexpected response"):
        notices(service)


def test_a_service_that_fails_is_an_os_error(service):
    service.broken = True
    with pytest.raises(OSError, match="HTTP 500"):
        notices(service)


def test_a_service_that_is_not_there_is_an_os_error():
    with pytest.raises(OSError, match="refused"):
        list(ScheduledEvents(Metadata("http://127.0.0.1:1")).read())


@pytest.mark.parametrize("base", ["169.254.169.254", "https://169.254.169.254", ""])
def test_an_address_that_is_none_is_refused(base):
    with pytest.raises(ValueError, match=r"http://169\.254\.169\.254"):
        Metadata(base)
