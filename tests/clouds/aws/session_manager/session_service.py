"""Session Manager and EC2's list of instances, which refuse what the caller's policies do not allow."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl

import boto3
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import ClientError
from iam_allows import Allows, allows_all

REGION = "us-east-2"
PREFIX = f"arn:aws:ssm:{REGION}:123456789012"
CHECK = "ssm:SessionDocumentAccessCheck"
DEFAULT_DOCUMENT = "SSM-SessionManagerRunShell"
ROLE = "AWSReservedSSO_hpc_0123456789abcdef"
DAY = datetime(2026, 11, 24, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Caller:
    """A user of IAM Identity Center, with the policies of a permission set."""

    name: str
    allows: Allows = allows_all

    @property
    def userid(self) -> str:
        return f"AROAEXAMPLE:{self.name}"

    @property
    def arn(self) -> str:
        return f"arn:aws:sts::123456789012:assumed-role/{ROLE}/{self.name}"


class DeniedError(Exception):
    """What a caller's policies do not allow."""


class Body:
    """The body of a response, as botocore reads it."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def stream(self, **_: Any) -> Any:
        yield self.content


@dataclass
class SessionService:
    page: int = 20
    """Sessions or instances in a response; the real maximum is 200 or 1000."""
    nodes: dict[str, Mapping[str, str]] = field(default_factory=dict)
    """Tags of each instance."""
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    """The tag `aws:ssmmessages:session-id` of each session."""
    throttled: Counter[str] = field(default_factory=Counter)
    """How often a call is throttled before it is answered."""
    broken: dict[str, str] = field(default_factory=dict)
    """Error codes by the id of the session that TerminateSession refuses to end."""
    calls: list[str] = field(default_factory=list)
    vanishing: set[str] = field(default_factory=set)
    """Sessions that end after they were listed."""

    def start(
        self,
        caller: Caller,
        target: str,
        document: str | None = None,
        *,
        second: float = 0,
        status: str = "Connected",
    ) -> str:
        """StartSession. The permission for the document is checked only if the permission for the node demands it.
        Source: Systems Manager user guide, "Enforce a session document permission check for the AWS CLI".
        """
        tags = {f"ssm:resourceTag/{key}": value for key, value in self.nodes[target].items()}
        context = {"aws:userid": caller.userid, **tags}
        node = [f"arn:aws:ec2:{REGION}:123456789012:instance/{target}"]
        named = [f"{PREFIX}:document/{(document or DEFAULT_DOCUMENT).rpartition('/')[2]}"]
        if not caller.allows("ssm:StartSession", node, {**context, CHECK: "true"}):
            raise DeniedError(f"ssm:StartSession on {target}")
        demanded = not caller.allows("ssm:StartSession", node, {**context, CHECK: "false"})
        with_check = {"aws:userid": caller.userid, CHECK: "true"}
        if demanded and not caller.allows("ssm:StartSession", named, with_check):
            raise DeniedError(f"ssm:StartSession on {named[0]}")
        id = f"{caller.name}-{len(self.sessions):017x}"
        self.sessions[id] = {
            "SessionId": id,
            "Target": target,
            "Status": status,
            "StartDate": DAY.timestamp() + second,
            "DocumentName": document or DEFAULT_DOCUMENT,
            "Owner": caller.arn,
            "AccessType": "Standard",
        }
        self.owners[id] = caller.userid
        self.act(caller, "ssmmessages:OpenDataChannel", id)
        return id

    def act(self, caller: Caller, action: str, session: str) -> None:
        """Do something with a session that exists."""
        context = {"aws:userid": caller.userid, **self._tags(session)}
        if not caller.allows(action, [f"{PREFIX}:session/{session}"], context):
            raise DeniedError(f"{action} on {session}")

    def _tags(self, session: str) -> dict[str, str]:
        start = "ssm:resourceTag/aws:ssmmessages"
        target = self.sessions[session]["Target"]
        return {f"{start}:session-id": self.owners[session], f"{start}:target-id": target}

    @property
    def active(self) -> set[str]:
        return {id for id, each in self.sessions.items() if each["Status"] != "Terminated"}

    def launch(self, cluster: str = "cfd", role: str = "login", config: str = "cfd-config") -> str:
        id = f"i-{len(self.nodes):017x}"
        self.nodes[id] = {"ClusterName": cluster, "hpc:config": config, "hpc:role": role}
        return id

    def client(self, name: str, caller: Caller, config: Config | None = None) -> Any:
        """A client of boto3 whose requests are answered here."""
        client = boto3.client(name, region_name=REGION, config=config)
        client.meta.events.register(f"before-send.{name}", lambda request, **_: self._receive(caller, request))
        return client

    def _receive(self, caller: Caller, request: AWSPreparedRequest) -> AWSResponse:
        target = request.headers.get("X-Amz-Target")
        if target is None:
            query = dict(parse_qsl(request.body if isinstance(request.body, str) else request.body.decode()))
            status, content = self._instances(caller, query)
        else:
            action = (target if isinstance(target, str) else target.decode()).partition(".")[2]
            status, answer = self._answer(caller, action, json.loads(request.body))
            content = json.dumps(answer)
        return AWSResponse(request.url, status, {}, Body(content.encode()))

    def _instances(self, caller: Caller, query: Mapping[str, str]) -> tuple[int, str]:
        """DescribeInstances, which can filter by tags."""
        self.calls.append(query["Action"])
        if not caller.allows(f"ec2:{query['Action']}", ["*"], {"aws:userid": caller.userid}):
            error = "<Code>UnauthorizedOperation</Code><Message>refused</Message>"
            return 403, f"<Response><Errors><Error>{error}</Error></Errors></Response>"
        asked = {query[key]: query[f"{key[:-5]}.Value.1"] for key in query if key.endswith(".Name")}
        tags = {name.removeprefix("tag:"): value for name, value in asked.items()}
        found = [id for id, own in self.nodes.items() if tags.items() <= own.items()]
        first = int(query.get("NextToken", 0))
        items = "".join(f"<item><instanceId>{id}</instanceId></item>" for id in found[first : first + self.page])
        more = f"<nextToken>{first + self.page}</nextToken>" if first + self.page < len(found) else ""
        listed = f"<reservationSet><item><instancesSet>{items}</instancesSet></item></reservationSet>{more}"
        return 200, f"<DescribeInstancesResponse>{listed}</DescribeInstancesResponse>"

    def _answer(self, caller: Caller, action: str, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        self.calls.append(action)
        if self.throttled[action]:
            self.throttled[action] -= 1
            return 400, {"__type": "ThrottlingException", "message": "Rate exceeded"}
        try:
            return 200, {"DescribeSessions": self._describe, "TerminateSession": self._end}[action](caller, request)
        except DeniedError as error:
            return 400, {"__type": "AccessDeniedException", "message": str(error)}
        except ClientError as error:
            return 400, {"__type": error.response["Error"]["Code"], "message": "refused"}

    def _describe(self, caller: Caller, request: Mapping[str, Any]) -> dict[str, Any]:
        if not caller.allows("ssm:DescribeSessions", ["*"], {"aws:userid": caller.userid}):
            raise DeniedError("ssm:DescribeSessions")
        assert request["State"] == "Active"
        listed = [each for each in self.sessions.values() if each["Status"] not in ("Terminated", "Failed")]
        first = int(request.get("NextToken", 0))
        rest = {"NextToken": str(first + self.page)} if first + self.page < len(listed) else {}
        return {"Sessions": listed[first : first + self.page], **rest}

    def _end(self, caller: Caller, request: Mapping[str, Any]) -> dict[str, Any]:
        id = request["SessionId"]
        self.act(caller, "ssm:TerminateSession", id)
        if id in self.vanishing:
            self.sessions[id]["Status"] = "Terminated"
            raise ClientError({"Error": {"Code": "DoesNotExistException"}}, "TerminateSession")
        if id in self.broken:
            raise ClientError({"Error": {"Code": self.broken[id]}}, "TerminateSession")
        self.sessions[id]["Status"] = "Terminated"
        return {"SessionId": id}
