"""What becomes of Google's errors: as answers of HTTP, and in operations."""

import json

import pytest

from hpc_components.elastic.drivers.contract import (
    CapacityError,
    FailedError,
    QuotaError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.drivers.gcp.errors import GceError
from hpc_components.elastic.drivers.http import Answer

from .fake_gce import FakeGce
from .gce_shapes import FaultError
from .gcp_cluster import FIRST, add_fleets, inside, launch, make_driver

FULL = "Specified reservation 'rsv-1' does not have available resources for the request."
NOT_READY = "Cannot use reservation, it requires reservation to be in READY state"
QUOTA = "Quota 'CPUS_PER_VM_FAMILY' exceeded.  Limit: 880.0 in region us-central1."


def answered(status: int, reason: str, message: str = "No.", headers: dict | None = None) -> GceError:
    document = FaultError(reason, message, status).document()
    return GceError.of(Answer(status=status, headers=headers or {}, body=json.dumps(document).encode()))


def in_operation(code: str, message: str = "No.") -> GceError:
    error = GceError.in_operation({"error": {"errors": [{"code": code, "message": message}]}})
    assert error
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (in_operation("ZONE_RESOURCE_POOL_EXHAUSTED"), CapacityError),
        (in_operation("ZONE_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS"), CapacityError),
        (in_operation("STOCKOUT"), CapacityError),
        (in_operation("IP_SPACE_EXHAUSTED"), CapacityError),
        (in_operation("VM_MIN_COUNT_NOT_REACHED"), CapacityError),
        (in_operation("QUOTA_EXCEEDED", QUOTA), QuotaError),
        (answered(403, "quotaExceeded", QUOTA), QuotaError),
        (in_operation("RATE_LIMIT_EXCEEDED"), ThrottledError),
        (answered(403, "rateLimitExceeded"), ThrottledError),
        (answered(429, "anything"), ThrottledError),
        (answered(403, "forbidden"), RefusedError),
        (answered(400, "invalid"), RefusedError),
        (answered(404, "notFound"), RefusedError),
        (answered(503, "backendError"), FailedError),
        (answered(500, "internalError"), FailedError),
        (in_operation("INTERNAL_ERROR"), FailedError),
        (in_operation("RESOURCE_OPERATION_RATE_EXCEEDED"), ThrottledError),
        (in_operation("UNSUPPORTED_OPERATION"), CapacityError),
        (in_operation("REGION_RESOURCE_POOL_EXHAUSTED"), CapacityError),
        (in_operation("REGION_RESOURCE_POOL_EXHAUSTED_WITH_DETAILS"), CapacityError),
        (in_operation("GPU_STOCKOUT"), CapacityError),
        (in_operation("INSUFFICIENT_RESOURCE_CAPACITY"), CapacityError),
        (answered(400, "requestExceedsCapacity"), CapacityError),
        (in_operation("CONDITION_NOT_MET", FULL), CapacityError),
        (answered(412, "conditionNotMet", FULL), CapacityError),
        (in_operation("CONDITION_NOT_MET", NOT_READY), CapacityError),
        (in_operation("CONDITION_NOT_MET", "Specified reservations [r] do not exist."), RefusedError),
        (in_operation("CONDITION_NOT_MET", "No available resources in specified reservations"), RefusedError),
        (
            in_operation("CONDITION_NOT_MET", "Constraint constraints/compute.vmExternalIpAccess violated"),
            RefusedError,
        ),
        (in_operation("CPUS_ALL_REGIONS_QUOTA_EXCEEDED"), QuotaError),
        (in_operation("CONCURRENT_OPERATIONS_QUOTA_EXCEEDED"), ThrottledError),
        (in_operation("PERMISSIONS_ERROR"), RefusedError),
    ],
)
def test_each_error_has_its_meaning(error, kind):
    assert type(error.meaning()) is kind


def test_an_exceeded_quota_is_named_with_its_limit():
    words = str(in_operation("QUOTA_EXCEEDED", QUOTA).meaning())
    assert words.startswith("QUOTA_EXCEEDED: CPUS_PER_VM_FAMILY in us-central1: limit 880; ask Google for more")


def test_an_answer_that_is_no_json_leaves_open_what_was_done():
    error = GceError.of(Answer(status=502, headers={}, body=b"<html>"))
    assert type(error.meaning()) is OSError
    assert not isinstance(error.meaning(), FailedError)


def test_the_pause_that_google_asks_for_is_kept():
    assert answered(429, "rateLimitExceeded", headers={"retry-after": "30"}).seconds == 30


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (("QUOTA_EXCEEDED", QUOTA), QuotaError),
        (("ZONE_RESOURCE_POOL_EXHAUSTED", "No."), CapacityError),
        (("RESOURCE_NOT_READY", "No."), CapacityError),
        (("CONDITION_NOT_MET", FULL), CapacityError),
        (("UNSUPPORTED_OPERATION", "No."), CapacityError),
        (("RESOURCE_OPERATION_RATE_EXCEEDED", "No."), CapacityError),
        (("INTERNAL_ERROR", "No."), CapacityError),
    ],
)
def test_a_bulk_insert_of_too_few_gives_its_reason(fault, kind, clock):
    gce = FakeGce(clock)
    add_fleets(gce, FIRST)
    gce.room = lambda template, zone, wanted: (0, fault)  # ty: ignore[invalid-assignment]
    with pytest.raises(kind, match=fault[0]):
        make_driver(gce, inside(gce)).launch(launch(1, 2))
