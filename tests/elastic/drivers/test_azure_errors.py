"""Every code with which Azure may refuse a launch is of one class, at once or when the operation has ended."""

import json

import pytest

from elastic.drivers.arm_shapes import AzureError, ScaleSet
from elastic.drivers.azure_cluster import FIRST, NAMED, SECOND, add_sets, inside, launch, make_driver
from elastic.drivers.conftest import Clock
from elastic.drivers.fake_arm import FakeArm
from hpc_components.elastic.drivers.azure.errors import (
    CAPACITY,
    CONFLICT,
    INTERNAL,
    PERMISSION,
    QUOTA,
    TERMS,
    THROTTLED,
)
from hpc_components.elastic.drivers.contract import (
    CapacityError,
    FailedError,
    QuotaError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.drivers.http import Answer

QUOTA_WORDS = (
    "Operation could not be completed as it results in exceeding approved standardHBv4Family Cores quota. Additional "
    "details - Deployment Model: Resource Manager, Location: eastus, Current Limit: 352, Current Usage: 176, "
    "Additional Required: 528, (Minimum) New Limit Required: 704. Submit a request for Quota increase at https://x ."
)
OVER = (
    r"QuotaExceeded: standardHBv4Family Cores: limit 352, used 176, 528 more needed; request a higher quota .*"
    r"lower the queue's max"
)
CONSTRAINED = "VM(s) with the following constraints cannot be allocated: VM Size, Zone, Networking. Remove some."
CASES = [
    *((code, 409, "Azure's words.", CapacityError, rf"{code}: Azure's words\.") for code in sorted(CAPACITY)),
    ("OverconstrainedAllocationRequest", 409, CONSTRAINED, CapacityError, "VM Size, Zone, Networking"),
    ("SkuNotAvailable", 409, "Azure's words.", RefusedError, r"SkuNotAvailable: Azure's words\."),
    (
        "SkuNotAvailable",
        409,
        "The requested VM size for resource 'Following SKUs have failed for Capacity "
        "Restrictions: Standard_D16s_v5' is currently not available in location 'westus2'.",
        CapacityError,
        "Standard_D16s_v5",
    ),
    *((code, 409, QUOTA_WORDS, QuotaError, OVER.replace("QuotaExceeded", code)) for code in sorted(QUOTA)),
    ("OperationNotAllowed", 409, QUOTA_WORDS, QuotaError, OVER.replace("QuotaExceeded", "OperationNotAllowed")),
    ("QuotaExceeded", 403, "Too many.", QuotaError, r"QuotaExceeded: Too many\.; request a higher quota from Azure"),
    ("OperationNotAllowed", 409, "The scale set is protected.", RefusedError, "protected"),
    *(
        (code, 403, "No.", RefusedError, rf"{code}: No\.; check that the head node's ident")
        for code in sorted(PERMISSION)
    ),
    *((code, 400, "No.", RefusedError, rf"{code}: No\.; accept the terms of") for code in sorted(TERMS)),
    *((code, 429, "No.", ThrottledError, rf"{code}: No\.") for code in sorted(THROTTLED)),
    *((code, 500, "No.", FailedError, rf"{code}: No\.") for code in sorted(INTERNAL)),
    ("BadRequest", 400, "The VM size is wrong.", RefusedError, r"BadRequest: The VM size is wrong\."),
]
IDS = [f"{case[0]}-{case[3].__name__}" for case in CASES]
LATER = [case for case in CASES if case[3] is not ThrottledError]


class Scarce(FakeArm):
    """Has hosts for no machine, for a reason."""

    error = AzureError("", "")

    def room(self, scale_set: ScaleSet, wanted: int) -> tuple[int, AzureError]:
        return 0, self.error


@pytest.fixture
def arm():
    arm = Scarce(Clock())
    add_sets(arm, FIRST, SECOND)
    return arm


@pytest.mark.parametrize(("code", "status", "words", "kind", "told"), CASES, ids=IDS)
def test_a_launch_refused_at_once_is_an_error(code, status, words, kind, told, arm):
    arm.fail["scale"] = AzureError(code, words, status)
    with pytest.raises(kind, match=told):
        make_driver(arm, inside(arm)).launch(launch(1))
    assert arm.calls["scale"] == 1


@pytest.mark.parametrize(
    ("code", "status", "words", "kind", "told"), LATER, ids=[f"{case[0]}-{case[3].__name__}" for case in LATER]
)
@pytest.mark.parametrize("keeps", [True, False])
def test_a_failed_operation_leaves_no_capacity(keeps, code, status, words, kind, told, arm):
    arm.error, arm.keeps_failed = AzureError(code, words), keeps
    with pytest.raises(kind, match=told):
        make_driver(arm, inside(arm)).launch(launch(1, 2))
    assert not any(scale_set.capacity for scale_set in arm.sets.values())


def test_without_an_operations_address_the_machines_give_the_reason(arm):
    arm.error, arm.says_where = AzureError("ZonalAllocationFailed", "None in zone 1."), "nowhere"
    with pytest.raises(CapacityError, match=r"ZonalAllocationFailed: None in zone 1\."):
        make_driver(arm, inside(arm)).launch(launch(1, 2))


def test_spot_machines_that_are_not_there_may_be_there_later(arm):
    arm.fail["scale"] = AzureError("SkuNotAvailable", "The requested size is currently not available.", 409)
    with pytest.raises(CapacityError, match="SkuNotAvailable"):
        make_driver(arm, inside(arm)).launch(launch(1, pool=SECOND))


@pytest.mark.parametrize("status", [408, 500, 502, 504])
def test_what_something_on_the_way_answers_is_no_failure_of_azure_itself(status, arm):
    def send(method, url, headers, body):
        return (
            Answer(status=status, headers={}, body=b"<html>")
            if method == "PATCH"
            else inside(arm)(method, url, headers, body)
        )

    with pytest.raises(OSError, match=f"HTTP {status}") as lost:
        make_driver(arm, send).launch(launch(1))
    assert not isinstance(lost.value, FailedError)
    ((_, blob),) = arm.blobs.values()
    assert launch(1).token in json.loads(blob)["launches"], "it may have been heard"


@pytest.mark.parametrize("code", sorted(CONFLICT))
def test_a_conflict_is_waited_for(code, arm):
    arm.fail["scale"] = AzureError(code, "Busy.", 409)
    waits = []

    def sleep(seconds):
        waits.append(seconds)
        arm.clock.now += seconds
        if sum(waits) > 40:
            arm.fail.clear()

    arm.room = lambda scale_set, wanted: (wanted, arm.error)
    (made,) = make_driver(arm, inside(arm), sleep=sleep).launch(launch(1))
    assert made.node == "cpu-1"


def test_a_scale_set_that_is_always_busy_is_given_up(arm):
    arm.fail["scale"] = AzureError("AnotherOperationInProgress", "Busy.", 409)

    def sleep(seconds):
        arm.clock.now += seconds

    driver = make_driver(arm, inside(arm), sleep=sleep)
    with pytest.raises(ThrottledError, match=r"other clients have been changing scale set .* for 600 s"):
        driver.launch(launch(1))
    arm.fail.clear()
    arm.room = lambda scale_set, wanted: (wanted, arm.error)
    assert len(driver.launch(launch(1, token="t2"))) == 1


def test_no_code_of_the_driver_goes_untested():
    assert {*CAPACITY, *QUOTA, *PERMISSION, *TERMS, *THROTTLED, *INTERNAL} <= {case[0] for case in CASES}


@pytest.mark.parametrize("pool", [FIRST, SECOND, NAMED], ids=["uniform", "flexible", "named"])
def test_a_launch_whose_machines_can_t_be_listed_is_given_up(pool):
    """Looks that are not due must not count as answers: the launch would never end, and its pool with it."""
    arm = FakeArm(Clock())
    add_sets(arm, pool)
    arm.fail["list machines"] = AzureError("AuthorizationFailed", "No.", 403)
    waited = 0.0

    def sleep(seconds: float) -> None:
        nonlocal waited
        waited += seconds
        arm.clock.now += seconds
        assert waited < 3600

    with pytest.raises(RefusedError, match="AuthorizationFailed"):
        make_driver(arm, inside(arm), sleep).launch(launch(1, pool=pool))
