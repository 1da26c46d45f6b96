from collections.abc import Iterator, Mapping
from typing import Any

from botocore import xform_name
from botocore.exceptions import ClientError

from hpc_components.elastic.drivers.aws.errors import THROTTLED, code_of
from hpc_components.elastic.drivers.pace import Pace

LIMITS = {"RunInstances": (5.0, 2.0), "TerminateInstances": (100.0, 5.0)}
READS = (100.0, 20.0)
"""Burst size and requests per second. Source: EC2 developer guide, "Request throttling", read 2026-11-21.

EC2's limits on launched instances (a burst of 1,000, then 2 per second) are not enforced here, because an account may
have higher limits. If a launch exceeds them, EC2 returns an error.
"""

CONNECT_SECONDS, ANSWER_SECONDS = 5, 30
"""Connection and response timeouts, in seconds. A launch that gets no response is sent again with the same token."""


def ec2_client(region: str, endpoint: str | None = None) -> Any:
    """Return a client for EC2 in `region` that uses the machine's own credentials. `endpoint` overrides AWS's URL.

    The client never retries, because only the driver and the daemon can tell which calls may be repeated, and when.

    Raise OSError if there are no credentials. A client created without credentials would never look for them again.
    """
    import botocore.session
    from botocore.config import Config

    from hpc_components.elastic.drivers.aws.listing import Readers

    session = botocore.session.get_session()
    session.register_component("response_parser_factory", Readers())
    if session.get_credentials() is None:
        raise OSError("no AWS credentials: the machine has no role, or its metadata service does not respond")
    return session.create_client(
        "ec2",
        region_name=region,
        endpoint_url=endpoint,
        config=Config(
            connect_timeout=CONNECT_SECONDS,
            read_timeout=ANSWER_SECONDS,
            retries={"mode": "standard", "total_max_attempts": 1},
            user_agent_extra="hpc-elastic",
        ),
    )


def filters(values: Mapping[str, str]) -> list[dict[str, Any]]:
    return [{"Name": name, "Values": [value]} for name, value in values.items()]


class Api:
    """Calls EC2 through an `ec2_client`. Calls are named as in the API, e.g. `RunInstances`."""

    def __init__(self, client: Any, pace: Pace | None = None) -> None:
        self._client = client
        self._pace = pace or Pace(LIMITS, READS)

    def call(self, api: str, **request: Any) -> Mapping[str, Any]:
        """Call the API, e.g. `call("RunInstances", MinCount=1, ...)`.

        Raise the client's errors, or ThrottledError while calls are paused after throttling.
        """
        self._pace.take(api)
        try:
            reply = getattr(self._client, xform_name(api))(**request)
        except ClientError as error:
            if code_of(error) in THROTTLED:
                self._pace.throttled(api)
            raise
        self._pace.answered(api)
        return reply

    def pages(self, api: str, **request: Any) -> Iterator[Mapping[str, Any]]:
        while True:
            page = self.call(api, **request)
            yield page
            if not page.get("NextToken"):
                return
            request["NextToken"] = page["NextToken"]
