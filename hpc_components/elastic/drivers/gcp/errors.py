"""What Google's error codes mean for a launch.

An answer of HTTP has reasons in camel case (`quotaExceeded`); an operation that failed has codes in capitals
(`QUOTA_EXCEEDED`). Source: Compute Engine documentation, "Troubleshooting resource availability", "Troubleshoot API
requests"; the codes of bulk inserts as slurm-gcp and users report them (`VM_MIN_COUNT_NOT_REACHED`), and that of too
many machines made of one image at a time (`RESOURCE_OPERATION_RATE_EXCEEDED`: googleapis/python-compute, issue 279).
Compared with the tables of kubernetes/autoscaler (cloudprovider/gce/autoscaling_gce_client.go, `GetErrorInfo`),
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

__all__ = ["EXISTS", "IN_USE", "MINIMUM", "NOT_FOUND", "GceError", "plain_errors"]

Told = tuple[str, str]
"""A code and its message."""

CAPACITY = frozenset(
    {"zoneresourcepoolexhausted", "zoneresourcepoolexhaustedwithdetails", "stockout", "resourcepoolexhausted"}
    | {"regionresourcepoolexhausted", "regionresourcepoolexhaustedwithdetails", "gpustockout"}
    | {"insufficientcapacity", "insufficientresourcecapacity", "requestexceedscapacity", "unsupportedoperation"}
    | {"ipspaceexhausted", "ipspaceexhaustedwithdetails"}
)
"""There are no such machines there now, or no addresses for them. `UNSUPPORTED_OPERATION` is what becomes of a spot
machine that is taken back while it is made; Google does not document it (SkyPilot)."""
THROTTLED = frozenset(
    {"ratelimitexceeded", "userratelimitexceeded", "toomanyrequests", "operationratelimitexceeded"}
    | {"concurrentoperationsquotaexceeded", "resourcenotready", "resourceoperationratelimitexceeded"}
    | {"operationrateexceeded", "resourceoperationrateexceeded"}
)
"""Asked too often, or too early: something else is being done with the same resource."""
PERMISSION = frozenset({"forbidden", "permissiondenied", "permissionserror", "iampermissiondenied"})
EXISTS = frozenset({"alreadyexists", "resourcealreadyexists"})
NOT_FOUND = frozenset({"notfound", "resourcenotfound"})
IN_USE = frozenset({"resourceinusebyanotherresource", "resourceinuse"})
MINIMUM = frozenset({"vmmincountnotreached"})
"""Too few could be made, so that those that were are deleted again. It says nothing of the cause."""
INTERNAL = frozenset({"internalerror", "backenderror", "serviceunavailable"})
"""Google's own failures."""
KNOWN = CAPACITY | THROTTLED | PERMISSION | EXISTS | NOT_FOUND | IN_USE | INTERNAL

_PROTECTED = re.compile(r"protected against deletion|deletion protection", re.IGNORECASE)
_RESERVATION_FULL = re.compile(
    r"reservations? .*do(es)? not have available resources|requires reservation to be in READY state"
    r"|does not currently have sufficient capacity for the requested resources",
    re.IGNORECASE,
)
"""Messages with codes that say nothing (`CONDITION_NOT_MET`): a reservation that is used up, or has not begun.
One that is another project's, is not there or does not fit stays a refusal. Source: as above."""
_QUOTA = re.compile(r"Quota '([^']+)' exceeded\.\s+Limit: ([\d.]+)(?: in region (\S+?)\.?(?:\s|$))?", re.IGNORECASE)


class GceError(Exception):
    """An answer, or an operation, that is an error: its codes with their messages."""

    def __init__(self, status: int, told: Sequence[Told], seconds: float = 0.0) -> None:
        super().__init__(f"{told[0][0]}: {told[0][1]}")
        self.status = status
        """Of HTTP; 200 for an operation that failed."""
        self.told = tuple(told)
        """At least one."""
        self.seconds = seconds
        """Pause that Google asks for."""

    @classmethod
    def of(cls, answer: Answer) -> "GceError":
        """The error that an answer with a status from 400 on is."""
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
        """Why an operation failed; None if it did not."""
        errors = (operation.get("error") or {}).get("errors") or ()
        told = [(each.get("code") or "", each.get("message") or "") for each in errors]
        return cls(200, told) if told else None

    @property
    def throttled(self) -> bool:
        """Whether it was asked too often."""
        return self.status == 429 or self.has(THROTTLED)

    @property
    def _over_quota(self) -> bool:
        """Whether the project may not have so many: Google has many codes for that, each with the word."""
        return any(_is_quota(code) for code, _ in self.told)

    @property
    def protected(self) -> bool:
        """Whether somebody has protected the machine from deletion."""
        return any(_PROTECTED.search(words) for _, words in self.told)

    def has(self, codes: frozenset[str]) -> bool:
        """Whether one of its codes is one of these, written without capitals and underscores."""
        return any(_plain(code) in codes for code, _ in self.told)

    def meaning(self) -> Exception:
        """A LaunchError if Google decided, FailedError if it failed; OSError if nobody knows what becomes of it."""
        words = self._words()
        if self.throttled:
            return ThrottledError(words)
        if self._over_quota:
            return QuotaError(f"{self._quota_words()}; ask Google for more (Quotas), or give the queue less")
        if self.has(CAPACITY) or any(_RESERVATION_FULL.search(message) for _, message in self.told):
            return CapacityError(words)
        if self.status == 403 or self.has(PERMISSION):
            return RefusedError(f"{words}; see that the head node's service account has the roles of the stack")
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
    """`QUOTA_EXCEEDED` and `quotaExceeded` are the same."""
    return code.replace("_", "").lower()


def _is_quota(code: str) -> bool:
    return "quota" in _plain(code) and _plain(code) not in THROTTLED


def _is_known(code: str) -> bool:
    return _plain(code) in KNOWN or _is_quota(code)


@contextmanager
def plain_errors() -> Generator[None]:
    """Raise errors of Google as what they mean: a LaunchError or an OSError."""
    try:
        yield
    except GceError as error:
        raise error.meaning() from error
