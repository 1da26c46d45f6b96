"""Translates Google's error codes into what they mean for a launch.

An HTTP answer has reasons in camel case (`quotaExceeded`); a failed operation has codes in capitals
(`QUOTA_EXCEEDED`). Source: Compute Engine documentation, "Troubleshooting resource availability", "Troubleshoot API
requests"; the codes of bulk inserts as reported by slurm-gcp and users (`VM_MIN_COUNT_NOT_REACHED`); the code for too
many machines created from one image at a time (`RESOURCE_OPERATION_RATE_EXCEEDED`: googleapis/python-compute, issue
279). Compared with the tables of kubernetes/autoscaler (cloudprovider/gce/autoscaling_gce_client.go, `GetErrorInfo`),
slurm-gcp (error_handler.py, `classify_gcp_error`) and SkyPilot (failover of Google Cloud), as of 2026-11.
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
"""No such machines, or no addresses for them, are available there at present. `UNSUPPORTED_OPERATION` means that a
spot machine was reclaimed while it was being created; Google does not document this (source: SkyPilot)."""
THROTTLED = frozenset(
    {"ratelimitexceeded", "userratelimitexceeded", "toomanyrequests", "operationratelimitexceeded"}
    | {"concurrentoperationsquotaexceeded", "resourcenotready", "resourceoperationratelimitexceeded"}
    | {"operationrateexceeded", "resourceoperationrateexceeded"}
)
"""Google was called too often, or while another operation on the same resource was under way."""
PERMISSION = frozenset({"forbidden", "permissiondenied", "permissionserror", "iampermissiondenied"})
EXISTS = frozenset({"alreadyexists", "resourcealreadyexists"})
NOT_FOUND = frozenset({"notfound", "resourcenotfound"})
IN_USE = frozenset({"resourceinusebyanotherresource", "resourceinuse"})
MINIMUM = frozenset({"vmmincountnotreached"})
"""Too few machines could be created, so those that were created are deleted again. The error does not contain the
cause."""
INTERNAL = frozenset({"internalerror", "backenderror", "serviceunavailable"})
"""Google's own failures."""
KNOWN = CAPACITY | THROTTLED | PERMISSION | EXISTS | NOT_FOUND | IN_USE | INTERNAL

_PROTECTED = re.compile(r"protected against deletion|deletion protection", re.IGNORECASE)
_RESERVATION_FULL = re.compile(
    r"reservations? .*do(es)? not have available resources|requires reservation to be in READY state"
    r"|does not currently have sufficient capacity for the requested resources",
    re.IGNORECASE,
)
"""Messages that come with generic codes (`CONDITION_NOT_MET`) and mean that a reservation is used up or has not
started. A reservation that belongs to another project, does not exist or does not match still counts as a refusal.
Source: as above."""
_QUOTA = re.compile(r"Quota '([^']+)' exceeded\.\s+Limit: ([\d.]+)(?: in region (\S+?)\.?(?:\s|$))?", re.IGNORECASE)


class GceError(Exception):
    """An error reported by an answer or an operation: its codes and their messages."""

    def __init__(self, status: int, told: Sequence[Told], seconds: float = 0.0) -> None:
        super().__init__(f"{told[0][0]}: {told[0][1]}")
        self.status = status
        """HTTP status, or 200 for an operation that failed."""
        self.told = tuple(told)
        """(code, message) pairs; never empty."""
        self.seconds = seconds
        """Pause requested by Google, in seconds."""

    @classmethod
    def of(cls, answer: Answer) -> "GceError":
        """Return the error in an answer with status 400 or above."""
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
        """Return the error of a failed operation, or None if the operation has not failed."""
        errors = (operation.get("error") or {}).get("errors") or ()
        told = [(each.get("code") or "", each.get("message") or "") for each in errors]
        return cls(200, told) if told else None

    @property
    def throttled(self) -> bool:
        """Whether Google was called too often."""
        return self.status == 429 or self.has(THROTTLED)

    @property
    def _over_quota(self) -> bool:
        """Whether the project's quota is exceeded.

        Google has many codes for this, and they all contain the word "quota".
        """
        return any(_is_quota(code) for code, _ in self.told)

    @property
    def protected(self) -> bool:
        """Whether the machine is protected from deletion."""
        return any(_PROTECTED.search(words) for _, words in self.told)

    def has(self, codes: frozenset[str]) -> bool:
        """Return whether one of the error's codes is in `codes`, which must be lowercase and without underscores."""
        return any(_plain(code) in codes for code, _ in self.told)

    def meaning(self) -> Exception:
        """Translate the error: into LaunchError if Google refused, FailedError if Google failed, or OSError if the
        outcome is unknown."""
        words = self._words()
        if self.throttled:
            return ThrottledError(words)
        if self._over_quota:
            return QuotaError(f"{self._quota_words()}; ask Google for more (Quotas), or lower the queue's max")
        if self.has(CAPACITY) or any(_RESERVATION_FULL.search(message) for _, message in self.told):
            return CapacityError(words)
        if self.status == 403 or self.has(PERMISSION):
            return RefusedError(f"{words}; check that the head node's service account has the roles of the stack")
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
    """Normalize a code, so that `QUOTA_EXCEEDED` and `quotaExceeded` become the same."""
    return code.replace("_", "").lower()


def _is_quota(code: str) -> bool:
    return "quota" in _plain(code) and _plain(code) not in THROTTLED


def _is_known(code: str) -> bool:
    return _plain(code) in KNOWN or _is_quota(code)


@contextmanager
def plain_errors() -> Generator[None]:
    """Translate Google's errors into LaunchError or OSError."""
    try:
        yield
    except GceError as error:
        raise error.meaning() from error
