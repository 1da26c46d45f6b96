import time
from http.server import BaseHTTPRequestHandler

import pytest
from serving import HttpServer, serving

from elastic.drivers.contract import NoticesContract
from hpc_components.elastic.drivers.contract import NoticeKind
from hpc_components.elastic.drivers.gcp.identity import Metadata
from hpc_components.elastic.drivers.gcp.notices import MetadataNotices

NOW = 1789719720.0
UPCOMING = (
    '{"type": "SCHEDULED", "canReschedule": true, "maintenanceStatus": "PENDING",'
    ' "windowStartTime": "2026-09-18T01:22:00-07:00", "windowEndTime": "2026-09-18T05:22:00-07:00"}'
)


class MetadataServer(HttpServer):
    """Answers with the topics that it has."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.topics = {"preempted": "FALSE", "maintenance-event": "NONE"}
        self.broken = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: MetadataServer

    def do_GET(self) -> None:
        topic = self.path.removeprefix("/computeMetadata/v1/instance/")
        text = self.server.topics.get(topic)
        status = 404 if text is None else 200
        if self.server.broken or self.headers.get("Metadata-Flavor") != "Google":
            status = 503
        self.send_response(status)
        self.send_header("Content-Length", str(len(text or "")))
        self.end_headers()
        self.wfile.write((text or "").encode())

    def log_message(self, *_) -> None:
        pass


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def service():
    with serving(MetadataServer()) as server:
        yield server


class MetadataDouble:
    """The metadata server as the contract turns its knobs."""

    def __init__(self, service: MetadataServer) -> None:
        self.source = MetadataNotices(Metadata(service.url))
        self._service = service

    def announce(self, kind: NoticeKind) -> bool:
        if kind is NoticeKind.SPOT:
            self._service.topics["preempted"] = "TRUE"
        elif kind is NoticeKind.MAINTENANCE:
            self._service.topics["maintenance-event"] = "TERMINATE_ON_HOST_MAINTENANCE"
        return kind in (NoticeKind.SPOT, NoticeKind.MAINTENANCE)

    def fail(self) -> None:
        self._service.broken = True

    def garble(self) -> None:
        self._service.topics["preempted"] = "nonsense"


class TestGcpNotices(NoticesContract):
    @pytest.fixture
    def notices(self, service):
        return MetadataDouble(service)


def told(service):
    found = MetadataNotices(Metadata(service.url), lambda: NOW).read()
    return [(notice.kind, notice.at, notice.words) for notice in found]


def test_a_spot_machine_ends_two_minutes_after_its_notice(service):
    service.topics["preempted"] = "TRUE"
    assert told(service) == [(NoticeKind.SPOT, NOW + 120, "spot notice: the machine ends at 08:24:00")]


def test_the_host_goes_down(service):
    service.topics["maintenance-event"] = "TERMINATE_ON_HOST_MAINTENANCE"
    words = "maintenance, the host will go down, first seen at 2026-09-18 08:22"
    assert told(service) == [(NoticeKind.MAINTENANCE, NOW, words)]


def test_what_is_going_to_happen_has_the_time_at_which_it_was_first_seen(service):
    now = [NOW]
    source = MetadataNotices(Metadata(service.url), lambda: now[0])
    service.topics["maintenance-event"] = "TERMINATE_ON_HOST_MAINTENANCE"
    first = list(source.read())
    now[0] += 5
    assert list(source.read()) == first


def test_a_machine_that_is_moved_while_it_runs_keeps_its_jobs(service):
    service.topics["maintenance-event"] = "MIGRATE_ON_HOST_MAINTENANCE"
    assert told(service) == []


def test_maintenance_is_known_long_before(service):
    service.topics["upcoming-maintenance"] = UPCOMING
    assert told(service) == [(NoticeKind.MAINTENANCE, NOW, "maintenance, scheduled at 2026-09-18 08:22")]


@pytest.mark.parametrize(
    ("topic", "text"),
    [
        ("preempted", "yes"),
        ("maintenance-event", "<html>"),
        ("upcoming-maintenance", "nonsense"),
        ("upcoming-maintenance", '{"type": "SCHEDULED"}'),
        ("upcoming-maintenance", '{"windowStartTime": "soon"}'),
        ("upcoming-maintenance", "[1]"),
    ],
)
def test_what_is_not_understood_is_an_os_error(topic, text, service):
    service.topics[topic] = text
    with pytest.raises(OSError, match=f"{topic}: unexpected"):
        told(service)


def test_a_server_that_fails_is_an_os_error(service):
    service.broken = True
    with pytest.raises(OSError, match="HTTP 503"):
        told(service)


@pytest.mark.parametrize("base", ["169.254.169.254", "https://169.254.169.254", ""])
def test_an_address_that_is_none_is_refused(base):
    with pytest.raises(ValueError, match=r"http://169\.254\.169\.254"):
        Metadata(base)
