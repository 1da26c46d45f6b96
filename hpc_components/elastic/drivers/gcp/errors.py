"""Translates Google's error codes into what they mean for a launch.

An HTTP response contains reasons in camel case (`quotaExceeded`). A failed operation contains codes in capitals
(`QUOTA_EXCEEDED`).

Sources:
- Compute Engine documentation, "Troubleshooting resource availability", "Troubleshoot API requests"
- slurm-gcp and its users, for the codes of bulk inserts (`VM_MIN_COUNT_NOT_REACHED`)
- googleapis/python-compute, issue 279, for the code that means that too many machines are being created from one
  image at the same time (`RESOURCE_OPERATION_RATE_EXCEEDED`)

The codes were compared with the tables of kubernetes/autoscaler (cloudprovider/gce/autoscaling_gce_client.go,
`GetErrorInfo`), slurm-gcp (error_handler.py, `classify_gcp_error`) and SkyPilot (failover of Google Cloud), as of
2026-11.
"""

import json
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
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
    {"zoneresourcepoolexhausted", "zoneresourcepoolexhaustedwithdetails", "stockout", "resourcepoolexhausted"}
    | {"regionresourcepoolexhausted", "regionresourcepoolexhaustedwithdetails", "gpustockout"}
    | {"insufficientcapacity", "insufficientresourcecapacity", "requestexceedscapacity", "unsupportedoperation"}
    | {"ipspaceexhausted", "ipspaceexhaustedwithdetails"}
)
"""Codes that mean that machines or addresses are currently unavailable. `UNSUPPORTED_OPERATION` means that a spot
machine was reclaimed while it was being created; Google does not document this (source: SkyPilot)."""
THROTTLED = frozenset(
    {"ratelimitexceeded", "userratelimitexceeded", "toomanyrequests", "operationratelimitexceeded"}
    | {"concurrentoperationsquotaexceeded", "resourcenotready", "resourceoperationratelimitexceeded"}
    | {"operationrateexceeded", "resourceoperationrateexceeded"}
)
"""Codes that mean that Google was called too often, or that another operation on the same resource was in
progress."""
PERMISSION = frozenset({"forbidden", "permissiondenied", "permissionserror", "iampermissiondenied"})
EXISTS = frozenset({"alreadyexists", "resourcealreadyexists"})
NOT_FOUND = frozenset({"notfound", "resourcenotfound"})
IN_USE = frozenset({"resourceinusebyanotherresource", "resourceinuse"})
MINIMUM = frozenset({"vmmincountnotreached"})
"""Code that means that fewer machines than the minimum could be created, so Google deleted them again. The error does
not include the cause."""
INTERNAL = frozenset({"internalerror", "backenderror", "serviceunavailable"})
KNOWN = CAPACITY | THROTTLED | PERMISSION | EXISTS | NOT_FOUND | IN_USE | INTERNAL

_PROTECTED = re.compile(r"protected against deletion|deletion protection", re.IGNORECASE)
_RESERVATION_FULL = re.compile(
    r"reservations? .*do(es)? not have available resources|requires reservation to be in READY state"
    r"|does not currently have sufficient capacity for the requested resources",
    re.IGNORECASE,
)
"""Messages that accompany generic codes (`CONDITION_NOT_MET`) and mean that a reservation is used up or has not
started. Messages about a reservation that belongs to another project, does not exist or does not match are omitted,
so these errors are treated as refusals. Sources: see the module docstring."""
_QUOTA = re.compile(r"Quota '([^']+)' exceeded\.\s+Limit: ([\d.]+)(?: in region (\S+?)\.?(?:\s|$))?", re.IGNORECASE)


class GceError(Exception):
    def __init__(self, status: int, told: Sequence[Told], seconds: float = 0.0) -> None:
        super().__init__(f"{told[0][0]}: {told[0][1]}")
        self.status = status
        """HTTP status, or 200 if an operation failed."""
        self.told = tuple(told)
        """(code, message) pairs; never empty."""
        self.seconds = seconds
        """Pause requested by Google, in seconds."""

    @classmethod
    def of(cls, answer: Answer) -> "GceError":
        """Return the error in a response with a status of 400 or above."""
        try:
            error = json.loads(answer.body)["error"]
            told = [(each["reason"], each.get("message") or "") for each in error.get("errors") or ()]
            told = told or [(error.get("status") or f"HTTP {answer.status}", error.get("message") or "")]
        except (ValueError, KeyError, TypeError, AttributeError):
            told = [(f"HTTP {answer.status}", "")]
        retry = answer.headers.get("retry-after", "")
        return cls(answer.status, told, float(retry) if retry.isdigit() else 0.0)

    @classmethod
    def in_operation(cls, operation: Mapping[str, Any]) -> "GceError | None":
        errors = (operation.get("error") or {}).get("errors") or ()
        told = [(each.get("code") or "", each.get("message") or "") for each in errors]
        return cls(200, told) if told else None

    @property
    def throttled(self) -> bool:
        return self.status == 429 or self.has(THROTTLED)

    @property
    def _over_quota(self) -> bool:
        """Whether a quota of the project is exceeded.

        Google uses many codes for exceeded quotas. They all contain the word "quota".
        """
        return any(_is_quota(code) for code, _ in self.told)

    @property
    def protected(self) -> bool:
        return any(_PROTECTED.search(words) for _, words in self.told)

    def has(self, codes: frozenset[str]) -> bool:
        """Return whether `codes` contains one of the error's codes. `codes` must be lowercase and without
        underscores.
        """
        return any(_plain(code) in codes for code, _ in self.told)

    def meaning(self) -> Exception:
        """Return the exception that the error means: LaunchError if Google refused the request, FailedError if Google
        failed, or OSError if the outcome is unknown.
        """
        words = self._words()
        if self.throttled:
            return ThrottledError(words)
        if self._over_quota:
            return QuotaError(
                f"{self._quota_words()}; ask Google for more quota on the Quotas page, or lower the queue's max"
            )
        if self.has(CAPACITY) or any(_RESERVATION_FULL.search(message) for _, message in self.told):
            return CapacityError(words)
        if self.status == 403 or self.has(PERMISSION):
            return RefusedError(
                f"{words}; check that the head node's service account has the roles that the stack grants"
            )
        if self.status >= 500 and not self.told[0][0].startswith("HTTP"):
            return FailedError(words)
        if self.status >= 500 or self.status in (401, 408):
            return OSError(f"Google Cloud failed: {words}")
        if self.has(INTERNAL):
            return FailedError(words)
        return CapacityError(words) if self.has(MINIMUM) else RefusedError(words)

    def _words(self) -> str:
        code, message = next((each for each in self.told if _is_known(each[0])), self.told[0])
        return f"{code}: {' '.join(message.split())}".rstrip(": ")

    def _quota_words(self) -> str:
        for code, message in self.told:
            if match := _QUOTA.search(message):
                where = f" in {match[3]}" if match[3] else ""
                return f"{code}: {match[1]}{where}: limit {float(match[2]):.0f}"
        return self._words()


def _plain(code: str) -> str:
    return code.replace("_", "").lower()


def _is_quota(code: str) -> bool:
    return "quota" in _plain(code) and _plain(code) not in THROTTLED


def _is_known(code: str) -> bool:
    return _plain(code) in KNOWN or _is_quota(code)


@contextmanager
def plain_errors() -> Generator[None]:
    try:
        yield
    except GceError as error:
        raise error.meaning() from error
