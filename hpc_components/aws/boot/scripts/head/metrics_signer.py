"""Forwards what Prometheus sends to a workspace of Amazon Managed Service for Prometheus, signed with the credentials
of the node's role.

Prometheus could sign by itself (`sigv4`), but the package of Debian 12 (2.42.0+ds-5) sends its requests unsigned. Its
patch Disable-OpenTelemetry drops the transport that signs. Debian dropped the patch in 2.45.6+ds-1, so the package of
Ubuntu 24.04 (2.45.3+ds-2) has it too. Sources: requests of both releases of Debian, and the changelog of Debian 13's.
Besides, Prometheus needs no access to the credentials of the node this way.

Runs with the system's Python (3.10 or later) and botocore (1.23 or later).
"""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import BotoCoreError, HTTPClientError
from botocore.httpsession import URLLib3Session
from botocore.session import Session

SENT_ON = ("Content-Type", "Content-Encoding", "X-Prometheus-Remote-Write-Version", "User-Agent")

MAX_BYTES = 16 * 2**20
"""Maximum size of a request. Prometheus sends at most 500 samples in one, which take a few kilobytes."""

UNAVAILABLE = 503
"""After this status, Prometheus sends the same again. It drops what was refused with another."""


class Signer:
    def __init__(self, url: str, region: str) -> None:
        self._url, self._region = url, region
        self._session = Session()
        self._http = URLLib3Session(timeout=30, max_pool_connections=10)

    def forward(self, headers: dict[str, str], body: bytes) -> tuple[int, bytes]:
        """Return the service's status and response, or 503 with the reason if there was none."""
        request = AWSRequest("POST", self._url, headers=headers, data=body)
        try:
            credentials = self._session.get_credentials()  # renewed before they expire
            if credentials is None:
                return UNAVAILABLE, b"the metadata service has no credentials for this node"
            SigV4Auth(credentials.get_frozen_credentials(), "aps", self._region).add_auth(request)
            answer = self._http.send(request.prepare())
        except (BotoCoreError, HTTPClientError) as error:
            return UNAVAILABLE, str(error).encode()
        return answer.status_code, answer.content


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    signer: Signer

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 < length <= MAX_BYTES:
            self.close_connection = True
            self._answer(413, b"")
            return
        headers = {name: self.headers[name] for name in SENT_ON if name in self.headers}
        status, content = self.signer.forward(headers, self.rfile.read(length))
        if status >= 300:
            print(f"HTTP {status}: {content.decode(errors='replace')[:400]}", flush=True)
        self._answer(status, content)

    def _answer(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Write no line for each request."""


if __name__ == "__main__":
    Handler.signer = Signer(os.environ["HPC_METRICS_URL"], os.environ["HPC_METRICS_REGION"])
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("HPC_METRICS_PORT", "9819"))), Handler).serve_forever()
