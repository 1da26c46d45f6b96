"""Instance metadata, buckets, secrets, logs and roles, as strict as the real ones about tokens and signatures."""

import base64
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from elastic.drivers.ec2_server import NAMESPACE, nested, to_xml
from elastic.drivers.fake_ec2 import Ec2Error, FakeEc2
from iam_allows import Allows, allows_all
from planned_aws import ACCOUNT, DataRole
from serving import HttpServer, serving

KEYS = Credentials("ASIAEXAMPLE", "secret/with+signs=", "token/with+signs==")
IMDS_TOKEN = "imds-token"
STS = "https://sts.amazonaws.com/doc/2011-06-15/"


@dataclass(frozen=True)
class Instance:
    """What the metadata service tells an instance of itself."""

    tags: dict[str, str]
    id: str = "i-0123456789abcdef0"
    address: str = "10.0.0.1"
    launch_index: int = 0

    def metadata(self, region: str) -> dict[str, str]:
        credentials = {
            "Code": "Success",
            "AccessKeyId": KEYS.access_key,
            "SecretAccessKey": KEYS.secret_key,
            "Token": KEYS.token,
            "Expiration": (datetime.now(UTC) + timedelta(hours=6)).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        return {
            "tags/instance/": "\n".join(self.tags),
            **{f"tags/instance/{key}": value for key, value in self.tags.items()},
            "ami-launch-index": str(self.launch_index),
            "instance-id": self.id,
            "local-ipv4": self.address,
            "placement/region": region,
            "services/domain": "amazonaws.com",
            "iam/security-credentials/": "node-role",
            "iam/security-credentials/node-role": json.dumps(credentials, indent=2),
        }


@dataclass
class FakeAws:
    """Serves the tags and objects that it is given; `failures` says how often a path answers 503 first."""

    tags: dict[str, str]
    """Of an instance whose address is not in `instances`."""
    objects: dict[str, bytes]
    """Of the config bucket, by key. Stubs ask for them without the bucket's name, which is in the tags."""
    failures: Counter[str] = field(default_factory=Counter)
    region: str = "eu-north-1"
    instances: dict[str, Instance] = field(default_factory=dict)
    """By the address that asks."""
    secrets: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """Versions by token, the last one the current one, by the name of the secret; empty for one without a value."""
    ec2: FakeEc2 = field(default_factory=FakeEc2)
    logs: dict[str, list[str]] = field(default_factory=dict)
    """Lines by stream, `<group>:<stream>`."""
    rights: Mapping[str, Allows] = field(default_factory=dict)
    """What nodes may do, by their tag hpc:role; all that is not here may do everything."""
    arns: Mapping[str, str] = field(default_factory=dict)
    """ARNs that are not made of the name: of secrets by their name, of the bucket as `bucket`."""
    role_arns: Mapping[str, str] = field(default_factory=dict)
    """ARNs of the nodes' roles, by their tag hpc:role."""
    data_roles: Sequence[DataRole] = ()
    """Roles that nodes may take."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """ARNs of the keys of other buckets, by the bucket's name."""
    buckets: Mapping[str, dict[str, bytes]] = field(default_factory=dict)
    """Objects of other buckets, by name and key; reached by the bucket's name in the path."""
    worn: dict[str, DataRole] = field(default_factory=dict)
    """Roles that were taken, by the access key that was given for them."""
    asked: list[str] = field(default_factory=list)
    address: tuple[str, int] = ("127.0.0.1", 0)
    """Where it listens."""
    more_addresses: Sequence[tuple[str, int]] = ()
    """Where else: people reach no metadata service."""

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"fake": self})
        self._servers = [HttpServer(address, handler) for address in (self.address, *self.more_addresses)]
        with ExitStack() as stack:
            for server in self._servers:
                stack.enter_context(serving(server))
            self._exit = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._exit.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._servers[0].server_address[1]}"

    def metadata(self, address: str) -> dict[str, str]:
        return self.instances.get(address, Instance(self.tags)).metadata(self.region)

    def tags_of(self, address: str) -> dict[str, str]:
        """Tags of the node at this address."""
        return self.instances[address].tags if address in self.instances else self.tags

    def right(self, address: str) -> Allows:
        """What the node at this address may do."""
        return self.rights.get(self.tags_of(address).get("hpc:role", ""), allows_all)

    def assume_role(self, right: Allows, caller: str | None, fields: dict[str, Any]) -> dict[str, Any]:
        """STS: credentials of a role, for roles that may take it and that it trusts."""
        context = {"aws:ResourceAccount": ACCOUNT, "aws:PrincipalAccount": ACCOUNT}
        role = next((each for each in self.data_roles if each.arn == fields["RoleArn"]), None)
        allowed = role is not None and right("sts:AssumeRole", role.names, context)
        if role is None or not allowed or caller not in role.trusted or role.external_id != fields.get("ExternalId"):
            raise _RefusedError("AccessDenied", f"not authorized to perform: sts:AssumeRole on {fields['RoleArn']}")
        key = f"ASIALENT{len(self.worn)}"
        self.worn[key] = role
        end = datetime.now(UTC) + timedelta(seconds=int(fields.get("DurationSeconds", 3600)))
        given = {"AccessKeyId": key, "SecretAccessKey": KEYS.secret_key, "SessionToken": KEYS.token}
        return {"Credentials": {**given, "Expiration": end.strftime("%Y-%m-%dT%H:%M:%SZ")}}

    def call(self, action: str, request: dict[str, Any], right: Allows) -> tuple[int, dict[str, Any]]:
        """Secrets Manager and CloudWatch Logs: status and answer."""
        actions: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "secretsmanager.GetSecretValue": self._get_secret,
            "secretsmanager.PutSecretValue": self._put_secret,
            "Logs_20140328.CreateLogStream": self._create_stream,
            "Logs_20140328.PutLogEvents": self._put_events,
        }
        try:
            self._authorize(action, request, right)
            return 200, actions[action](request)
        except _RefusedError as error:
            return 400, {"__type": error.args[0], "message": error.args[1]}

    def _authorize(self, action: str, request: dict[str, Any], right: Allows) -> None:
        service, _, call = action.partition(".")
        start = f"arn:aws:{{}}:{self.region}:123456789012:"
        if service == "secretsmanager":
            name = request["SecretId"]
            called = f"secretsmanager:{call}"
            bare = start.format("secretsmanager") + f"secret:{name}"
            # one that is not there has no random end, by which policies name it
            names = [f"{bare}-AbCdEf", self.arns.get(name, "")] if name in self.secrets else [bare]
        else:
            called = f"logs:{call}"
            group, stream = request["logGroupName"], request["logStreamName"]
            names = [start.format("logs") + f"log-group:{group}:log-stream:{stream}"]
        if not right(called, names, {}):
            raise _RefusedError("AccessDeniedException", f"not authorized to perform: {called} on {names[0]}")

    def _get_secret(self, request: dict[str, Any]) -> dict[str, Any]:
        versions = self._versions(request["SecretId"])
        if not versions:
            text = "Secrets Manager can't find the specified secret value for staging label: AWSCURRENT"
            raise _RefusedError("ResourceNotFoundException", text)
        value = list(versions.values())[-1]
        return {"Name": request["SecretId"], "SecretBinary": base64.b64encode(value).decode()}

    def _put_secret(self, request: dict[str, Any]) -> dict[str, Any]:
        versions, token = self._versions(request["SecretId"]), request["ClientRequestToken"]
        value = base64.b64decode(request["SecretBinary"])
        if versions.setdefault(token, value) != value:
            raise _RefusedError("ResourceExistsException", "You can't modify an existing version")
        return {"Name": request["SecretId"], "VersionId": token}

    def _versions(self, name: str) -> dict[str, bytes]:
        if name not in self.secrets:
            raise _RefusedError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.")
        return self.secrets[name]

    def _create_stream(self, request: dict[str, Any]) -> dict[str, Any]:
        name = f"{request['logGroupName']}:{request['logStreamName']}"
        if name in self.logs:
            raise _RefusedError("ResourceAlreadyExistsException", "The specified log stream already exists")
        self.logs[name] = []
        return {}

    def _put_events(self, request: dict[str, Any]) -> dict[str, Any]:
        stream = self.logs[f"{request['logGroupName']}:{request['logStreamName']}"]
        times = [event["timestamp"] for event in request["logEvents"]]
        if times != sorted(times) or times[-1] - times[0] > 86_400_000:
            raise _RefusedError(
                "InvalidParameterException",
                "Log events in a single PutLogEvents request must be in chronological order, and within 24 hours",
            )
        stream += [event["message"] for event in request["logEvents"]]
        return {}


_OBJECT_RIGHTS = {"PUT": ("s3:PutObject", "kms:GenerateDataKey"), "DELETE": ("s3:DeleteObject", "")}
"""Permissions on an object and on the bucket's key, by method. Source: Service Authorization Reference, Amazon S3."""


class _RefusedError(Exception):
    """Type and text of the answer."""


class _Handler(BaseHTTPRequestHandler):
    fake: FakeAws

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_PUT(self) -> None:
        if self.headers.get("Expect") == "100-continue":  # for which boto3 waits a second
            self.send_response_only(100)
            self.end_headers()
        if self._is_throttled():
            return self._answer(503, b"slow down")
        if self.path != "/latest/api/token":
            return self._object(self.rfile.read(int(self.headers["Content-Length"])))
        ttl = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds")
        self._answer(200 if ttl else 400, IMDS_TOKEN.encode())

    def do_GET(self) -> None:
        self.fake.asked.append(self.path)
        if self._is_throttled():
            self._answer(503, b"slow down")
        elif self.path.startswith("/latest/meta-data/"):
            self._metadata(self.path.removeprefix("/latest/meta-data/"))
        else:
            self._object(None)

    do_HEAD = do_DELETE = do_GET  # noqa: N815 - http.server's names

    def _is_throttled(self) -> bool:
        self.fake.failures[self.path] -= 1
        return self.fake.failures[self.path] >= 0

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("Authorization") != self._authorization(SigV4Auth, body):
            return self._answer(403, b'{"__type": "InvalidSignatureException"}')
        action = self.headers.get("X-Amz-Target")
        if action is None:
            fields = dict(parse_qsl(body.decode(), keep_blank_values=True))
            return self._sts(fields) if fields["Action"] == "AssumeRole" else self._ec2(fields)
        self.fake.asked.append(action)
        status, answer = self.fake.call(action, json.loads(body), self._right())
        return self._answer(status, json.dumps(answer).encode())

    def _right(self) -> Allows:
        """What may be done with the credentials of this request: of a role that was taken, or of the node."""
        worn = self.fake.worn.get(self._access_key())
        return worn.allows if worn else self.fake.right(self.client_address[0])

    def _role_arn(self) -> str | None:
        """The role whose credentials this request has."""
        worn = self.fake.worn.get(self._access_key())
        kind = self.fake.tags_of(self.client_address[0]).get("hpc:role", "")
        return worn.arn if worn else self.fake.role_arns.get(kind)

    def _access_key(self) -> str:
        return self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]

    def _sts(self, fields: dict[str, str]) -> None:
        try:
            given = self.fake.assume_role(self._right(), self._role_arn(), fields)
            status, answer = 200, {"AssumeRoleResult": given}
        except _RefusedError as error:
            status, answer = 403, {"Error": {"Code": error.args[0], "Message": error.args[1]}}
        root = "AssumeRoleResponse" if status == 200 else "ErrorResponse"
        self._answer(status, f'<{root} xmlns="{STS}">{to_xml(answer)}</{root}>'.encode())

    def _ec2(self, fields: dict[str, str]) -> None:
        action, _ = fields.pop("Action"), fields.pop("Version")
        self.fake.ec2.allows = self._right()
        try:
            status, root, value = 200, f"{action}Response", self.fake.ec2.answer(action, nested(fields))
        except Ec2Error as error:
            status, root = error.status, "Response"
            value = {"Errors": {"Error": {"Code": error.code, "Message": error.message}}, "RequestID": "1"}
        self._answer(status, f'<{root} xmlns="{NAMESPACE}">{to_xml(value)}</{root}>'.encode())

    def _metadata(self, path: str) -> None:
        if self.headers.get("X-aws-ec2-metadata-token") != IMDS_TOKEN:
            return self._answer(401, b"")
        value = self.fake.metadata(self.client_address[0]).get(path)
        return self._answer(404, b"") if value is None else self._answer(200, value.encode())

    def _object(self, new: bytes | None) -> None:
        """Answer with an object, replace it, or delete it."""
        if self.headers.get("Authorization") != self._authorization(S3SigV4Auth, new or b""):
            return self._answer(403, b"SignatureDoesNotMatch")
        path = urlsplit(self.path).path.removeprefix("/")
        arn, objects, key = self._place(path)
        action, use = _OBJECT_RIGHTS.get(self.command, ("s3:GetObject", "kms:Decrypt"))
        kms = self.fake.keys.get(path.partition("/")[0])
        if not self._right()(action, [f"{arn}/{key}"], {}) or (kms and use and not self._right()(use, [kms], {})):
            return self._answer(403, b"<Error><Code>AccessDenied</Code></Error>")
        if self.command == "DELETE":
            objects.pop(key, None)
            return self._answer(204, b"")
        if new is not None:
            objects[key] = new
            return self._answer(200, b"")
        body = objects.get(key)
        if body is None:  # Source: S3 API reference, GetObject, Permissions
            known = self._right()("s3:ListBucket", [arn or ""], {})
            return self._answer(404, b"NoSuchKey") if known else self._answer(403, b"AccessDenied")
        return self._answer(200, body)

    def _place(self, path: str) -> tuple[str | None, dict[str, bytes], str]:
        """ARN of the bucket that a path is in, the bucket's objects, and the object's key."""
        fake, (name, _, key) = self.fake, path.partition("/")
        if name in fake.buckets:
            return fake.arns.get(name), fake.buckets[name], key
        is_named = name == fake.tags_of(self.client_address[0]).get("hpc:config")
        return fake.arns.get("bucket"), fake.objects, key if is_named else path

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _authorization(self, kind: type[SigV4Auth], body: bytes) -> str:
        """What botocore would sign for the same request at the same time."""
        told = self.headers.get("Authorization", "")
        if "Credential=" not in told:
            return "a signature"
        scope = told.partition("Credential=")[2].partition(",")[0].split("/")
        names = told.partition("SignedHeaders=")[2].partition(",")[0].split(";")
        known = KEYS.access_key if self._access_key() not in self.fake.worn else self._access_key()
        auth = kind(Credentials(known, KEYS.secret_key, KEYS.token), scope[3], self.fake.region)
        headers = {name: self.headers.get(name, "") for name in names if name != "host"}
        url = f"http://{self.headers['Host']}{self.path}"
        request = AWSRequest(self.command, url, headers=headers, data=body)
        request.context["timestamp"] = self.headers["x-amz-date"]
        signature = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
        signed = auth.signed_headers(auth.headers_to_sign(request))
        return f"AWS4-HMAC-SHA256 Credential={auth.scope(request)}, SignedHeaders={signed}, Signature={signature}"
