"""Translates Azure's error codes into what they mean for a launch.

Source: Azure Resource Manager, "Common error codes"; Azure Virtual Machines, "Troubleshoot allocation failures",
"Error codes for Spot Virtual Machines"; Virtual Machine Scale Sets, "QuotaExceeded error when scaling". The HTTP
status is unhelpful: it is 409 for an exceeded quota, but also for a conflict with another operation. Compared with
karpenter-provider-azure (pkg/providers/instance/offerings, error handlers), as of 2026-11: the same codes mean
capacity and quota errors.
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
        "OverconstrainedAllocationRequest",  # its message names the constraints
        "OverconstrainedZonalAllocationRequest",
        "SubnetIsFull",
        "ZonalAllocationFailed",
    }
)
"""No such machines are available there at present."""

SOLD_OUT = "SkuNotAvailable"
"""No such machines are available at present, if they are spot machines or if the message says so: "Following SKUs
have failed for Capacity Restrictions" (cloud-hypervisor/cloud-hypervisor, pull request 8319). Otherwise the
subscription can't use the size there."""

QUOTA = frozenset({"QuotaExceeded", "ResourceQuotaExceeded", "SubscriptionQuotaReached"})
"""The subscription's quota does not allow more machines."""
NOT_ALLOWED = "OperationNotAllowed"
"""The quota is exceeded if the message mentions it; otherwise, the operation is not allowed here."""

PERMISSION = frozenset({"AuthorizationFailed", "LinkedAuthorizationFailed", "AuthorizationPermissionMismatch"})

TERMS = frozenset({"MarketplacePurchaseEligibilityFailed", "ResourcePurchaseValidationFailed"})
"""The terms of an image's purchase plan have not been accepted. Source: Azure documentation, "Troubleshoot virtual
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
"""Another operation is changing or has changed the scale set, or an earlier request arrived late. The driver must
read the state, then retry."""

THROTTLED = frozenset(
    {"DeploymentQuotaExceeded", "OperationThrottled", "SubscriptionRequestsThrottled", "TooManyRequests"}
)
"""Azure was called too often. `DeploymentQuotaExceeded` is included because, although a resource group can keep only
800 deployments, Azure removes old ones automatically."""

INTERNAL = frozenset(
    {"InternalError", "InternalExecutionError", "InternalOperationError", "NetworkingInternalOperationError"}
    | {"InternalServerError", "ServiceUnavailable", "VMStartTimedOut"}
)
"""Azure's own failures. A machine with OSProvisioningTimedOut is running: it counts as created, and is replaced like
any other machine if it does not register."""

_NUMBERS = {
    "limit": re.compile(r"Current Limit: (\d+)", re.IGNORECASE),
    "used": re.compile(r"Current Usage: (\d+)", re.IGNORECASE),
    "wanted": re.compile(r"Additional Required: (\d+)", re.IGNORECASE),
}
_WHAT = re.compile(r"exceeding approved (.+?) quota")


class ArmError(Exception):
    """An error that Azure returned. Its codes and their messages start with the outermost, which is often generic."""

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
        """Return the error in an answer with status 400 or above."""
        try:
            told = list(codes_in(json.loads(answer.body)))
        except ValueError:
            told = []
        words = answer.headers.get("x-ms-error-code") or f"HTTP {answer.status}"  # Blob Storage writes XML
        retry = answer.headers.get("retry-after", "")
        return cls(answer.status, told or [(words, "")], float(retry) if retry.isdigit() else 0.0)

    @property
    def throttled(self) -> bool:
        """Whether Azure was called too often."""
        return self.status == 429 or self._has(THROTTLED)

    @property
    def conflict(self) -> bool:
        """Whether the cause is another operation that changes the scale set."""
        return self.status == 412 or (self._has(CONFLICT) and not self.over_quota)

    @property
    def not_allowed(self) -> bool:
        """Whether Azure does not allow the operation here, for a reason other than the quota."""
        return self._has({NOT_ALLOWED}) and not self.over_quota

    @property
    def over_quota(self) -> bool:
        """Whether the subscription's quota is exceeded."""
        return self._has(QUOTA) or any(code == NOT_ALLOWED and "quota" in words.lower() for code, words in self.told)

    def meaning(self, *, spot: bool) -> Exception:
        """Translate the error: into LaunchError if Azure refused, FailedError if Azure failed, or OSError if the
        outcome is unknown."""
        words = self._words()
        if self.throttled or self.conflict:
            return ThrottledError(words)
        if self.over_quota:
            return QuotaError(
                f"{self._quota_words()}; ask Azure for more (Quotas, Compute), or lower the queue's max"
            )
        if self._has(CAPACITY) or self._is_sold_out(spot=spot):
            return CapacityError(words)
        if self._has(TERMS):
            return RefusedError(f"{words}; accept the terms of the image's purchase plan: az vm image terms accept")
        if self.status == 403 or self._has(PERMISSION):
            return RefusedError(f"{words}; check that the head node's identity has the roles that the stack gave it")
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
        return f"{code}: {what[1] if what else 'the quota'}: limit {limit}, used {used}, {wanted} more wanted"


def codes_in(document: Any) -> Iterator[Told]:
    """Yield an error's codes and messages as Azure nests them, from the outermost inwards."""
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
    """Yield only the innermost codes and messages of a deployment's error, because outer ones are about the
    deployment.

    Azure writes a resource's error as JSON into the message around it.
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
