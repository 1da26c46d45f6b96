"""A bucket that can be listed and read by everybody."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

from serving import HttpServer, serving

_LIST = '<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">{objects}</ListBucketResult>'
_OBJECT = "<Contents><Key>{key}</Key><Size>{size}</Size></Contents>"


@contextmanager
def served_bucket(name: str, objects: Mapping[str, bytes]) -> Iterator[str]:
    """Its service's address; the bucket's name is in the path."""

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_HEAD(self) -> None:
            self._object(body=False)

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            if asked.path.strip("/") != name:
                return self._object(body=True)
            prefix = parse_qs(asked.query).get("prefix", [""])[0]
            found = [(key, content) for key, content in objects.items() if key.startswith(prefix)]
            listed = "".join(_OBJECT.format(key=key, size=len(content)) for key, content in found)
            return self._answer(200, _LIST.format(objects=listed).encode(), body=True)

        def _object(self, *, body: bool) -> None:
            content = objects.get(urlsplit(self.path).path.removeprefix(f"/{name}/"))
            self._answer(404 if content is None else 200, content or b"", body=body)

        def _answer(self, status: int, content: bytes, *, body: bool) -> None:
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("ETag", '"0"')
            self.end_headers()
            if body:
                self.wfile.write(content)

    with serving(HttpServer(("127.0.0.1", 0), Handler)) as server:
        yield f"http://127.0.0.1:{server.server_port}"
