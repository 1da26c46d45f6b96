"""An instance metadata service and a bucket on loopback, as strict as the real ones about tokens and signatures."""

import json
import threading
from collections import Counter
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

__all__ = ["FakeAws"]

KEYS = Credentials("ASIAEXAMPLE", "secret/with+signs=", "token/with+signs==")
IMDS_TOKEN = "imds-token"


@dataclass
class FakeAws:
    """Serves the tags and objects that it is given; `failures` says how often a path answers 503 first."""

    tags: dict[str, str]
    objects: dict[str, bytes]
    failures: Counter[str] = field(default_factory=Counter)
    region: str = "eu-north-1"
    asked: list[str] = field(default_factory=list)

    def __enter__(self) -> Self:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: Any) -> None:
                pass

            def do_PUT(self) -> None:
                ttl = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds")
                self.answer(200 if self.path == "/latest/api/token" and ttl else 400, IMDS_TOKEN.encode())

            def do_GET(self) -> None:
                fake.asked.append(self.path)
                if fake.failures[self.path] > 0:
                    fake.failures[self.path] -= 1
                    self.answer(503, b"slow down")
                elif self.path.startswith("/latest/meta-data/"):
                    self.metadata(self.path.removeprefix("/latest/meta-data/"))
                else:
                    self.bucket(self.path.removeprefix("/"))

            def metadata(self, path: str) -> None:
                if self.headers.get("X-aws-ec2-metadata-token") != IMDS_TOKEN:
                    return self.answer(401, b"")
                value = fake.metadata().get(path)
                return self.answer(404, b"") if value is None else self.answer(200, value.encode())

            def bucket(self, key: str) -> None:
                if self.headers.get("Authorization") != fake.authorization(f"http://{self.headers['Host']}", self):
                    return self.answer(403, b"SignatureDoesNotMatch")
                body = fake.objects.get(key)
                return self.answer(404, b"NoSuchKey") if body is None else self.answer(200, body)

            def answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def metadata(self) -> dict[str, str]:
        credentials = {
            "Code": "Success",
            "AccessKeyId": KEYS.access_key,
            "SecretAccessKey": KEYS.secret_key,
            "Token": KEYS.token,
        }
        return {
            **{f"tags/instance/{key}": value for key, value in self.tags.items()},
            "placement/region": self.region,
            "services/domain": "amazonaws.com",
            "iam/security-credentials/": "node-role",
            "iam/security-credentials/node-role": json.dumps(credentials, indent=2),
        }

    def authorization(self, origin: str, handler: BaseHTTPRequestHandler) -> str:
        """What botocore would sign for the same request at the same time."""
        auth = S3SigV4Auth(KEYS, "s3", self.region)
        names = ("x-amz-content-sha256", "x-amz-date", "x-amz-security-token")
        headers = {name: handler.headers.get(name, "") for name in names}
        request = AWSRequest("GET", f"{origin}{handler.path}", headers=headers)
        request.context["timestamp"] = headers["x-amz-date"]
        signature = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
        signed = auth.signed_headers(auth.headers_to_sign(request))
        return f"AWS4-HMAC-SHA256 Credential={auth.scope(request)}, SignedHeaders={signed}, Signature={signature}"
