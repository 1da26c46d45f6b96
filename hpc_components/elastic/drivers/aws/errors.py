"""What EC2's error codes mean for a launch.

Source: EC2 API reference, "Error codes for the Amazon EC2 API", read 2026-11-21. The HTTP status says little:
InsufficientInstanceCapacity comes with 500, which SDKs take for a transient error and repeat.
"""

from collections.abc import Generator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from hpc_components.elastic.drivers.contract import (
    CapacityError,
    FailedError,
    QuotaError,
    RefusedError,
    ThrottledError,
)

__all__ = ["ALREADY_LAUNCHED", "NO_TEMPLATE", "THROTTLED", "UNKNOWN_MACHINE", "code_of", "meaning", "plain_errors"]

CAPACITY = frozenset(
    {
        "InsufficientAddressCapacity",
        "InsufficientCapacity",
        "InsufficientFreeAddressesInSubnet",
        "InsufficientHostCapacity",
        "InsufficientInstanceCapacity",
        "InsufficientReservedInstanceCapacity",
        "InsufficientVolumeCapacity",
        "InvalidCapacityReservationState.PendingActivation",  # a capacity block that has not begun
        "ReservationCapacityExceeded",
        "SpotMaxPriceTooLow",
        "UnfulfillableCapacity",
        "Unsupported",  # "trying to launch in a zone that currently has constraints on that instance type"
    }
)
"""There are no such machines in that zone now."""

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
"""The account may not have so many."""

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
"""Called too often."""

ALREADY_LAUNCHED = frozenset({"IdempotentInstanceTerminated", "IdempotentParameterMismatch"})
"""The token was used before: there are, or were, machines of it."""

NO_TEMPLATE = frozenset({"InvalidLaunchTemplateId.NotFound", "InvalidLaunchTemplateId.VersionNotFound"})

UNKNOWN_MACHINE = "InvalidInstanceID.NotFound"

FAILED = frozenset({500, 503})
"""HTTP status of EC2's own failures, which have codes of their own (`InternalError`, `Unavailable`). Without a code,
and with 502 or 504, a proxy has answered, and the request may still be carried out."""

ENCODED = "Encoded authorization failure message"
"""The text after this is for `aws sts decode-authorization-message`, and some thousand characters long."""


def code_of(error: ClientError) -> str:
    """EC2's error code."""
    return error.response["Error"]["Code"]


@contextmanager
def plain_errors() -> Generator[None]:
    """Raise the client's errors as what they mean: a LaunchError or an OSError."""
    try:
        yield
    except ClientError as error:
        raise meaning(error) from error
    except (
        BotoCoreError,
        ResponseParserError,
    ) as error:  # no connection, no credentials, or no complete answer in time
        raise OSError(f"no answer from EC2: {error}") from error


def meaning(error: ClientError) -> Exception:
    """A LaunchError if EC2 decided, FailedError if it failed; OSError if nobody knows what becomes of the request."""
    code = code_of(error)
    words = f"{code}: {(error.response['Error'].get('Message') or '').partition(ENCODED)[0].strip()}"
    if code in CAPACITY:
        return CapacityError(words)
    if code in THROTTLED:
        return ThrottledError(words)
    if code in QUOTA:
        return QuotaError(f"{words}; ask AWS for a higher quota (Service Quotas, EC2), or give the queue less")
    if code in PERMISSION:
        return RefusedError(f"{words}; see that the head node's role has the policy that the stack gave it")
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    if status in FAILED and not code.isdigit():
        return FailedError(words)
    if status >= 500:
        return OSError(f"EC2 failed: {words}")
    return RefusedError(words)
