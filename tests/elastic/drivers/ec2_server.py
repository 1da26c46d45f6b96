"""`FakeEc2` behind HTTP, as EC2 speaks it: form fields in, XML out."""

import time
from collections import Counter
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qsl
from xml.sax.saxutils import escape

from serving import HttpServer

from .fake_ec2 import Ec2Error, FakeEc2

NAMESPACE = "http://ec2.amazonaws.com/doc/2016-11-15/"


class Ec2Server(HttpServer):
    """Serves on a free port of the loopback interface."""

    def __init__(self, ec2: FakeEc2, latency: float = 0.0) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.ec2, self.latency = ec2, latency
        self.lose_answers: Counter[str] = Counter()
        """So many answers to an action are not sent: what was asked is done all the same."""

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server_port}"

    def other(self, headers: Mapping[str, str], path: str, body: bytes) -> tuple[int, str, bytes]:
        """Answer a request that is not for EC2: status, content type, body."""
        return 404, "text/plain", b"only EC2 is here\n"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a client that goes away, as some tests do, is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or head and body of an answer are 40 ms apart
    server: Ec2Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(self.server.latency)
        fields = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))
        action = fields.pop("Action", "")
        if not action:
            self._send(*self.server.other(dict(self.headers.items()), self.path, body))
            return
        fields.pop("Version", None)
        try:
            status, root, value = 200, f"{action}Response", self.server.ec2.answer(action, nested(fields))
        except Ec2Error as error:
            status, root = error.status, "Response"
            value = {"Errors": {"Error": {"Code": error.code, "Message": error.message}}, "RequestID": "1"}
        if self.server.lose_answers[action] > 0:
            self.server.lose_answers[action] -= 1
            self.close_connection = True
            return
        text = f'<?xml version="1.0"?><{root} xmlns="{NAMESPACE}">{to_xml(value)}</{root}>'
        self._send(status, "text/xml", text.encode())

    def _send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


def nested(fields: Mapping[str, str]) -> dict[str, Any]:
    """`{"Filter.1.Name": "a", "Filter.1.Value.1": "b"}` -> `{"Filter": [{"Name": "a", "Value": ["b"]}]}`."""
    tree: dict[str, Any] = {}
    for name, value in fields.items():
        *path, last = name.split(".")
        branch = tree
        for part in path:
            branch = branch.setdefault(part, {})
        branch[last] = value
    return _with_lists(tree)


def _with_lists(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    if tree and all(key.isdigit() for key in tree):
        return [_with_lists(tree[key]) for key in sorted(tree, key=int)]
    return {key: _with_lists(value) for key, value in tree.items()}


def to_xml(value: Any) -> str:
    """Names and values as elements, lists as elements called `item`."""
    if isinstance(value, dict):
        return "".join(f"<{key}>{to_xml(each)}</{key}>" for key, each in value.items())
    if isinstance(value, list):
        return "".join(f"<item>{to_xml(each)}</item>" for each in value)
    return escape(str(value).lower() if isinstance(value, bool) else str(value))
