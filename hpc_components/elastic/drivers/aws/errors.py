"""Translates EC2's error codes into launch errors.

Source: EC2 API reference, "Error codes for the Amazon EC2 API", read 2026-11-21. The HTTP status is unhelpful:
InsufficientInstanceCapacity comes with status 500, which SDKs treat as a transient error and retry.
"""

from collections.abc import Generator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from hpc_components.elastic.drivers.contract import (
    BudgetError,
    CapacityError,
    FailedError,
    QuotaError,
    RefusedError,
    ThrottledError,
)

CAPACITY = frozenset(
    {
        "InsufficientAddressCapacity",
        "InsufficientCapacity",
        "InsufficientFreeAddressesInSubnet",
        "InsufficientHostCapacity",
        "InsufficientInstanceCapacity",
        "InsufficientReservedInstanceCapacity",
        "InsufficientVolumeCapacity",
        "InvalidCapacityReservationState.PendingActivation",  # the capacity block has not started
        "ReservationCapacityExceeded",
        "SpotMaxPriceTooLow",
        "UnfulfillableCapacity",
        "Unsupported",  # "trying to launch in a zone that currently has constraints on that instance type"
    }
)

QUOTA = frozenset(
    {
        "InstanceLimitExceeded",
        "MaxIOPSLimitExceeded",
        "MaxSpotInstanceCountExceeded",
        "ResourceLimitExceeded",
        "SpotInstanceCountLimitExceeded",
        "VcpuLimitExceeded",
        "VolumeLimitExceeded",
    }
)

PERMISSION = frozenset({"AccessDenied", "AuthFailure", "OptInRequired", "UnauthorizedOperation"})

THROTTLED = frozenset(
    {
        "EC2ThrottledException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "Throttling",
        "ThrottlingException",
        "TooManyRequestsException",
    }
)

ALREADY_LAUNCHED = frozenset({"IdempotentInstanceTerminated", "IdempotentParameterMismatch"})
"""Error codes for a token that was already used. The launch's machines exist or have existed."""

NO_TEMPLATE = frozenset({"InvalidLaunchTemplateId.NotFound", "InvalidLaunchTemplateId.VersionNotFound"})

UNKNOWN_MACHINE = "InvalidInstanceID.NotFound"

FAILED = frozenset({500, 503})
"""HTTP statuses of internal EC2 failures, which come with an error code (`InternalError`, `Unavailable`). A response
without a code, or with status 502 or 504, comes from a proxy, and EC2 may still execute the request."""

ENCODED = "Encoded authorization failure message"
"""Text that marks the end of a message's readable part. The rest is several thousand characters long and can be
decoded only with `aws sts decode-authorization-message`."""


LAUNCH_DENIAL = "-launch-denial"
"""Part of the name of the policy that AWS Budgets attaches to the head node's role."""
DENIED = "with an explicit deny in an identity-based policy"
"""Words of a denial by a policy of the role itself, followed by the policy's ARN where EC2 names it. The head node's
own policies only allow. Source: IAM user guide, "Troubleshoot access denied error messages"."""


def code_of(error: ClientError) -> str:
    return error.response["Error"]["Code"]


@contextmanager
def plain_errors() -> Generator[None]:
    """Translate the client's errors into LaunchError or OSError."""
    try:
        yield
    except ClientError as error:
        raise meaning(error) from error
    except (
        BotoCoreError,
        ResponseParserError,
    ) as error:  # no connection, no credentials, or no complete response in time
        raise OSError(f"no response from EC2: {error}") from error


def meaning(error: ClientError) -> Exception:
    """Translate an error into LaunchError if EC2 refused the call, FailedError if EC2 failed, or OSError if the
    outcome is unknown.
    """
    code = code_of(error)
    words = f"{code}: {(error.response['Error'].get('Message') or '').partition(ENCODED)[0].strip()}"
    if code in CAPACITY:
        return CapacityError(words)
    if code in THROTTLED:
        return ThrottledError(words)
    if code in QUOTA:
        return QuotaError(f"{words}; ask AWS for a higher quota (Service Quotas, EC2), or lower the queue's max")
    if code in PERMISSION and DENIED in words and (LAUNCH_DENIAL in words or ":policy/" not in words):
        return BudgetError(
            "AWS denies launches, because its budget for this cluster is exceeded; operate.md says how to undo that"
        )
    if code in PERMISSION:
        return RefusedError(f"{words}; check that the head node's role still has the policy that the stack attached")
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    if status in FAILED and not code.isdigit():
        return FailedError(words)
    if status >= 500:
        return OSError(f"EC2 failed: {words}")
    return RefusedError(words)
