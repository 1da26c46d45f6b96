"""Calls AWS, with the user's own boto3 and credentials. Only the calls in `data/calls.json` are possible, and these
only read.
"""

import threading
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from hpc_components.catalog._load import records
from hpc_components.preflight.account import NoAccountError, NotAnsweredError, NotPermittedError

_REFUSED = {
    "403", "AccessDenied", "AccessDeniedException", "AuthorizationError", "Forbidden", "UnauthorizedOperation",
}  # fmt: skip
"""Error codes of missing permissions. Source: IAM user guide, "Troubleshoot access denied error messages"; EC2 API
reference, error codes; Amazon S3 API reference, HeadBucket: an error without a body has only its status."""

_INVALID = {
    "AuthFailure", "ExpiredToken", "ExpiredTokenException", "InvalidClientTokenId", "SignatureDoesNotMatch",
    "UnrecognizedClientException",
}  # fmt: skip
"""Error codes of invalid credentials. Source: AWS API references, common errors; EC2 API reference, error codes."""

_OPEN = {"aws": "us-east-1", "aws-cn": "cn-north-1", "aws-us-gov": "us-gov-west-1"}
"""A region that is open to every account, for each partition. Source: AWS General Reference, "AWS service endpoints",
regions that are enabled by default."""

_SECONDS_TO_CONNECT, _SECONDS_TO_READ = 10, 30
_ATTEMPTS = 6
"""Attempts of a throttled call, with growing pauses of at most 20 s (botocore, standard mode)."""

Clients = Callable[[str, bool], Any]
"""Returns a service's boto3 client: in the cluster's region or, if true, in one that is open to every account."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """An API call that preflight may make."""

    service: str
    """The client's name in boto3."""
    action: str
    permission: str | None
    """The permission that it needs, or None if everyone may make it."""
    reads: tuple[str, ...]
    """Methods of the account, and kinds of things, that make this call."""
    open_region: bool = False
    """Whether to make the call in a region that is open to every account, because closed ones refuse all calls."""


@cache
def calls() -> Mapping[str, Call]:
    """Return all calls, keyed by service and action, e.g. `ec2:DescribeImages`."""
    found = {}
    for record in records("calls", __file__):
        found[f"{record['service']}:{record['action']}"] = Call(
            service=record["service"],
            action=record["action"],
            permission=record["permission"],
            reads=tuple(record["reads"]),
            open_region=record.get("open_region", False),
        )
    return found


class Reader:
    """Makes calls. It is safe to use from several threads."""

    def __init__(self, clients: Clients) -> None:
        self._new_client = clients
        self._clients: dict[tuple[str, bool], Any] = {}
        self._lock = threading.Lock()  # boto3 can't create clients in several threads at once

    def call(self, name: str, *, absent: Collection[str] = (), **arguments: Any) -> Mapping[str, Any] | None:
        """Return the complete response of a call, all pages of it, or None for an error code in `absent`.

        Raise KeyError for a call that is not listed, NotPermittedError, or NotAnsweredError.
        """
        call = calls()[name]
        from botocore import xform_name
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            client = self._client(call)
            method = xform_name(call.action)
            if client.can_paginate(method):
                return client.get_paginator(method).paginate(**arguments).build_full_result()
            return getattr(client, method)(**arguments)
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            if code in absent:
                return None
            raise _error(call, code, error) from None
        except BotoCoreError as error:
            raise NotAnsweredError(f"{call.service}: {error}") from None

    def found(self, name: str, *, absent: Collection[str] = (), **arguments: Any) -> Mapping[str, Any]:
        """Return the response of a call, or an empty mapping for an error code in `absent`."""
        return self.call(name, absent=absent, **arguments) or {}

    def _client(self, call: Call) -> Any:
        which = call.service, call.open_region
        with self._lock:
            if which not in self._clients:
                self._clients[which] = self._new_client(*which)
            return self._clients[which]


def _error(call: Call, code: str, error: Exception) -> Exception:
    if code in _INVALID:
        return NoAccountError(f"AWS does not accept the credentials ({code}); renew them, e.g. with `aws sso login`")
    if code in _REFUSED and call.permission:
        return NotPermittedError(call.permission)
    return NotAnsweredError(str(error))


def clients_of(region: str, profile: str | None) -> Clients:
    """Return boto3's clients for a region. Raise NoAccountError if boto3 or credentials are missing."""
    try:
        import boto3
        from botocore.config import Config
        from botocore.exceptions import BotoCoreError
    except ImportError as error:
        raise NoAccountError(
            f"asking AWS needs the package {error.name}, which is not installed; install it with: pip install boto3"
        ) from None
    config = Config(
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        connect_timeout=_SECONDS_TO_CONNECT,
        read_timeout=_SECONDS_TO_READ,
    )
    try:
        session = boto3.session.Session(profile_name=profile, region_name=region)
        if session.get_credentials() is None:
            raise NoAccountError(
                "there are no AWS credentials; log in, e.g. with `aws sso login` or `aws configure`, or choose a "
                "profile with the environment variable AWS_PROFILE"
            )
    except BotoCoreError as error:
        raise NoAccountError(f"the AWS credentials can't be used: {error}; check ~/.aws/config") from None
    always_open = _OPEN.get(session.get_partition_for_region(region), region)

    def client(service: str, open_region: bool) -> Any:
        return session.client(service, region_name=always_open if open_region else region, config=config)

    return client
