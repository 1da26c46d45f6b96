"""EC2's instance metadata service, version 2: a folder's files are its topics. Also run by itself, on a host."""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class FakeMetadata(ThreadingHTTPServer):
    """Answers what has the right token; `tokens` counts how many it gave out."""

    def __init__(self, port: int, folder: Path) -> None:
        super().__init__(("127.0.0.1", port), Answer)
        self.folder = folder
        self.tokens = 0
        self.broken = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def expire(self) -> None:
        """No token given out so far is good any more."""
        self.tokens += 1


class Answer(BaseHTTPRequestHandler):
    server: FakeMetadata

    def do_PUT(self) -> None:
        if self.path != "/latest/api/token" or not self.headers.get("X-aws-ec2-metadata-token-ttl-seconds"):
            return self.answer(400)
        self.server.tokens += 1
        return self.answer(200, f"token {self.server.tokens}")

    def do_GET(self) -> None:
        if self.server.broken:
            return self.answer(500)
        if self.headers.get("X-aws-ec2-metadata-token") != f"token {self.server.tokens}":
            return self.answer(401)
        file = self.server.folder / self.path.removeprefix("/latest/meta-data/").replace("/", "_")
        return self.answer(200, file.read_text()) if file.exists() else self.answer(404)

    def answer(self, status: int, text: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_) -> None:
        pass


if __name__ == "__main__":
    FakeMetadata(int(sys.argv[1]), Path(sys.argv[2])).serve_forever()
