"""Translates Azure's error codes into launch errors.

Source: Azure Resource Manager, "Common error codes"; Azure Virtual Machines, "Troubleshoot allocation failures",
"Error codes for Spot Virtual Machines"; Virtual Machine Scale Sets, "QuotaExceeded error when scaling". The HTTP
status is unhelpful: it is 409 for an exceeded quota, but also for a conflict with another operation. As of 2026-11,
karpenter-provider-azure (pkg/providers/instance/offerings, error handlers) treats the same codes as capacity and
quota errors.
"""

import json
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from hpc_components.elastic.drivers.contract import (
    CapacityError,
    FailedError,
    QuotaError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.drivers.http import Answer

Told = tuple[str, str]
"""An error code and its message."""

CAPACITY = frozenset(
    {
        "AllocationFailed",
        "OverconstrainedAllocationRequest",  # the message names the constraints
        "OverconstrainedZonalAllocationRequest",
        "SubnetIsFull",
        "ZonalAllocationFailed",
    }
)

SOLD_OUT = "SkuNotAvailable"
"""Error code with two meanings. If the machines are spot machines, or the message mentions "Capacity Restrictions",
as in "Following SKUs have failed for Capacity Restrictions" (cloud-hypervisor/cloud-hypervisor, pull request 8319),
capacity is lacking. In all other cases, the subscription can't use the size in this location."""

QUOTA = frozenset({"QuotaExceeded", "ResourceQuotaExceeded", "SubscriptionQuotaReached"})
NOT_ALLOWED = "OperationNotAllowed"
"""Error code for an exceeded quota (if the message mentions a quota) or for an operation that is not allowed (if it
does not)."""

PERMISSION = frozenset({"AuthorizationFailed", "LinkedAuthorizationFailed", "AuthorizationPermissionMismatch"})

TERMS = frozenset({"MarketplacePurchaseEligibilityFailed", "ResourcePurchaseValidationFailed"})
"""Error codes for unaccepted terms of an image's purchase plan. Source: Azure documentation, "Troubleshoot virtual
machine scale sets", error codes; public tools that advise accepting the terms for both codes."""

CONFLICT = frozenset(
    {
        "AnotherOperationInProgress",
        "Conflict",
        "ConflictingConcurrentWriteNotAllowed",
        "DeploymentActive",
        "OperationPreempted",
        "PreconditionFailed",
        "RetryableErrorDueToAnotherOperation",
    }
)
"""Error codes for a conflict with another operation on the scale set, or for an earlier request that arrived late.
The driver must read the state before retrying."""

THROTTLED = frozenset(
    {"DeploymentQuotaExceeded", "OperationThrottled", "SubscriptionRequestsThrottled", "TooManyRequests"}
)
"""Error codes for too many calls. `DeploymentQuotaExceeded` is included because Azure automatically removes old
deployments after a resource group has reached its limit of 800."""

INTERNAL = frozenset(
    {"InternalError", "InternalExecutionError", "InternalOperationError", "NetworkingInternalOperationError"}
    | {"InternalServerError", "ServiceUnavailable", "VMStartTimedOut"}
)
"""Error codes for Azure's own failures. OSProvisioningTimedOut is left out because the machine is running. Such a
machine is treated as created, and is replaced like any other machine if it does not register."""

_NUMBERS = {
    "limit": re.compile(r"Current Limit: (\d+)", re.IGNORECASE),
    "used": re.compile(r"Current Usage: (\d+)", re.IGNORECASE),
    "wanted": re.compile(r"Additional Required: (\d+)", re.IGNORECASE),
}
_WHAT = re.compile(r"exceeding approved (.+?) quota")


class ArmError(Exception):
    """An error returned by Azure. Its codes and messages are ordered from the outermost, which is often generic, to
    the innermost.
    """

    def __init__(self, status: int, told: Sequence[Told], seconds: float = 0.0) -> None:
        super().__init__(f"{told[-1][0]}: {told[-1][1]}")
        self.status = status
        """HTTP status, or 200 for an operation that failed."""
        self.told = tuple(told)
        """(code, message) pairs; never empty."""
        self.seconds = seconds
        """Pause requested by Azure, in seconds."""

    @classmethod
    def of(cls, answer: Answer) -> "ArmError":
        try:
            told = list(codes_in(json.loads(answer.body)))
        except ValueError:
            told = []
        # Blob Storage error bodies are XML, so take the code from the header
        words = answer.headers.get("x-ms-error-code") or f"HTTP {answer.status}"
        retry = answer.headers.get("retry-after", "")
        return cls(answer.status, told or [(words, "")], float(retry) if retry.isdigit() else 0.0)

    @property
    def throttled(self) -> bool:
        return self.status == 429 or self._has(THROTTLED)

    @property
    def conflict(self) -> bool:
        """Whether another operation on the scale set caused the error."""
        return self.status == 412 or (self._has(CONFLICT) and not self.over_quota)

    @property
    def not_allowed(self) -> bool:
        return self._has({NOT_ALLOWED}) and not self.over_quota

    @property
    def over_quota(self) -> bool:
        return self._has(QUOTA) or any(code == NOT_ALLOWED and "quota" in words.lower() for code, words in self.told)

    def meaning(self, *, spot: bool) -> Exception:
        """Translate the error into LaunchError if Azure refused the call, FailedError if Azure failed, or OSError if
        the outcome is unknown.
        """
        words = self._words()
        if self.throttled or self.conflict:
            return ThrottledError(words)
        if self.over_quota:
            return QuotaError(
                f"{self._quota_words()}; request a higher quota from Azure (Quotas, Compute), or lower the "
                "queue's max"
            )
        if self._has(CAPACITY) or self._is_sold_out(spot=spot):
            return CapacityError(words)
        if self._has(TERMS):
            return RefusedError(
                f"{words}; accept the terms of the image's purchase plan with `az vm image terms accept`"
            )
        if self.status == 403 or self._has(PERMISSION):
            return RefusedError(
                f"{words}; check that the head node's identity still has the roles that the stack assigned"
            )
        if self.status in (500, 503) and not self.told[0][0].startswith("HTTP"):
            return FailedError(words)
        if self.status >= 500 or self.status in (401, 408):
            return OSError(f"Azure failed: {words}")
        return FailedError(words) if self._has(INTERNAL) else RefusedError(words)

    def _is_sold_out(self, *, spot: bool) -> bool:
        return any(
            code == SOLD_OUT and (spot or "capacity restriction" in message.lower()) for code, message in self.told
        )

    def _has(self, codes: frozenset[str] | set[str]) -> bool:
        return any(code in codes for code, _ in self.told)

    def _words(self) -> str:
        """Return the innermost known code with its message, or simply the innermost code if none is known."""
        known = CAPACITY | QUOTA | PERMISSION | TERMS | CONFLICT | THROTTLED | INTERNAL | {SOLD_OUT, NOT_ALLOWED}
        code, message = next((each for each in reversed(self.told) if each[0] in known), self.told[-1])
        return f"{code}: {' '.join(message.split())}".rstrip(": ")

    def _quota_words(self) -> str:
        text = " ".join(words for _, words in self.told)
        found = {name: form.search(text) for name, form in _NUMBERS.items()}
        if not all(found.values()):
            return self._words()
        limit, used, wanted = (match[1] for match in found.values() if match)
        what = _WHAT.search(text)
        code = next((code for code, _ in reversed(self.told) if code in QUOTA), NOT_ALLOWED)
        return f"{code}: {what[1] if what else 'the quota'}: limit {limit}, used {used}, {wanted} more needed"


def codes_in(document: Any) -> Iterator[Told]:
    """Yield the codes and messages of a nested error, outermost first."""
    if not isinstance(document, Mapping):
        return
    if isinstance(document.get("error"), Mapping):
        document = document["error"]
    if isinstance(document.get("code"), str):
        yield document["code"], str(document.get("message") or "")
    for inner in document.get("details") or ():
        yield from codes_in(inner)
    yield from codes_in(document.get("innererror"))


def reasons_in(document: Any) -> Iterator[Told]:
    """Yield only the innermost codes and messages of a deployment error. The outer ones merely describe the
    deployment.

    Azure embeds a resource's error as JSON in the enclosing message.
    """
    if not isinstance(document, Mapping):
        return
    if isinstance(document.get("error"), Mapping):
        document = document["error"]
    message = str(document.get("message") or "")
    inner = [each for part in document.get("details") or () for each in reasons_in(part)]
    if not inner and message.lstrip().startswith("{"):
        with suppress(ValueError):
            inner = list(reasons_in(json.loads(message)))
    if inner:
        yield from inner
    elif isinstance(document.get("code"), str):
        yield document["code"], message


def meaning_of(error: Exception) -> Exception:
    """Translate an ArmError into LaunchError or OSError. Return other errors unchanged."""
    return error.meaning(spot=False) if isinstance(error, ArmError) else error


@contextmanager
def plain_errors(*, spot: bool = False) -> Generator[None]:
    """Translate Azure's errors into LaunchError or OSError."""
    try:
        yield
    except ArmError as error:
        raise error.meaning(spot=spot) from error
