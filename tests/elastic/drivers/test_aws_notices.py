import json
import time

import pytest
from serving import serving

from elastic.drivers.fake_metadata import FakeMetadata
from hpc_components.elastic.drivers.aws.notices import InstanceMetadata, MetadataNotices
from hpc_components.elastic.drivers.contract import NoticeKind

SPOT = {"action": "terminate", "time": "2026-09-18T08:22:00Z"}
EVENT = {
    "NotBefore": "21 Jan 2027 09:00:43 GMT", "Code": "system-reboot", "Description": "scheduled reboot",
    "EventId": "instance-event-0d59937288b749b32", "NotAfter": "21 Jan 2027 09:17:23 GMT", "State": "active",
}  # fmt: skip


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def service(tmp_path):
    with serving(FakeMetadata(0, tmp_path)) as server:
        yield server


def put(service, topic, value):
    (service.folder / topic.replace("/", "_")).write_text(json.dumps(value))


def notices(service):
    return [
        (notice.kind, notice.at, notice.words) for notice in MetadataNotices(InstanceMetadata(service.url)).read()
    ]


def test_a_machine_without_notices_has_no_news(service):
    assert notices(service) == []


def test_a_spot_notice_is_read(service):
    put(service, "spot/instance-action", SPOT)
    assert notices(service) == [(NoticeKind.SPOT, 1789719720, "spot notice: the machine ends at 08:22:00")]


def test_a_maintenance_that_is_completed_is_ignored(service):
    put(service, "events/maintenance/scheduled", [EVENT | {"State": "completed"}, EVENT])
    assert notices(service) == [
        (NoticeKind.MAINTENANCE, 1800522043, "maintenance scheduled: system-reboot at 2027-01-21 09:00"),
    ]


def test_a_rebalance_recommendation_is_a_notice(service):
    put(service, "events/recommendations/rebalance", {"noticeTime": "2026-09-18T08:22:00Z"})
    assert [kind for kind, *_ in notices(service)] == [NoticeKind.REBALANCE]


def test_one_token_is_used_until_it_is_too_old(service):
    metadata = InstanceMetadata(service.url)
    for _ in range(3):
        assert list(MetadataNotices(metadata).read()) == []
    assert service.tokens == 1
    service.expire()
    put(service, "spot/instance-action", SPOT)
    assert len(list(MetadataNotices(metadata).read())) == 1


@pytest.mark.parametrize("text", ["{}", "nonsense", '{"time": 5}', '{"time": "tomorrow"}', "[]"])
def test_what_is_not_understood_is_an_os_error(service, text):
    (service.folder / "spot_instance-action").write_text(text)
    with pytest.raises(OSError, match="unexpected response:"):
        notices(service)


def test_a_service_that_fails_is_an_os_error(service):
    service.broken = True
    with pytest.raises(OSError, match="HTTP 500"):
        notices(service)


def test_a_service_that_is_not_there_is_an_os_error():
    with pytest.raises(OSError, match="refused"):
        list(MetadataNotices(InstanceMetadata("http://127.0.0.1:1")).read())


@pytest.mark.parametrize("base", ["169.254.169.254", "https://169.254.169.254", ""])
def test_an_address_that_is_none_is_refused(base):
    with pytest.raises(ValueError, match=r"http://169\.254\.169\.254"):
        InstanceMetadata(base)
