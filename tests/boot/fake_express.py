"""A directory bucket: objects for who has a session, and sessions for who may have one."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import urlsplit

from planned_aws import DataRole
from serving import HttpServer, serving

SESSION = """<CreateSessionResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Credentials>
<AccessKeyId>{mode}</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>{mode}</SessionToken>
<Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></CreateSessionResult>"""


@dataclass
class FakeExpress:
    """Without a wish of the client's, a session is to write; where that is refused, to read only.

    Source: S3 API reference, CreateSession, x-amz-create-session-mode.
    """

    name: str
    arn: str
    worn: Mapping[str, DataRole]
    """Roles by the access keys that STS gave for them."""
    objects: dict[str, bytes] = field(default_factory=dict)

    @contextmanager
    def served(self) -> Iterator[str]:
        """Its address."""
        handler = type("Handler", (_Handler,), {"fake": self})
        with serving(HttpServer(("127.0.0.1", 0), handler)) as server:
            yield f"http://127.0.0.1:{server.server_port}"

    def mode(self, access_key: str, wished: str | None) -> str | None:
        """What the session is for; None where there may be none."""
        role = self.worn.get(access_key)
        for mode in [wished] if wished else ["ReadWrite", "ReadOnly"]:
            context = {"s3express:SessionMode": mode}
            if role and role.allows("s3express:CreateSession", [self.arn], context):
                return mode
        return None


class _Handler(BaseHTTPRequestHandler):
    fake: FakeExpress

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def do_GET(self) -> None:
        asked = urlsplit(self.path)
        if asked.query.startswith("session"):
            key = self.headers.get("Authorization", "").partition("Credential=")[2].partition("/")[0]
            mode = self.fake.mode(key, self.headers.get("x-amz-create-session-mode"))
            return self._answer(200, SESSION.format(mode=mode).encode()) if mode else self._answer(403)
        if self.headers.get("x-amz-s3session-token") not in ("ReadOnly", "ReadWrite"):
            return self._answer(403)
        return self._answer(200, self.fake.objects[asked.path.removeprefix(f"/{self.fake.name}/")])

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.headers.get("x-amz-s3session-token") != "ReadWrite":
            return self._answer(403)
        self.fake.objects[urlsplit(self.path).path.removeprefix(f"/{self.fake.name}/")] = body
        return self._answer(200, b"")

    def _answer(self, status: int, body: bytes = b"<Error><Code>AccessDenied</Code></Error>") -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
