"""Servers that tests start."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseServer
from typing import Any, TypeVar


class HttpServer(ThreadingHTTPServer):
    """Loses no connection on a busy machine: who finds the queue of five full asks again after 1, 3 and 7 seconds."""

    daemon_threads = True
    request_queue_size = 128


class TlsServer(HttpServer):
    """Shakes hands in the request's own thread: who does not finish keeps nobody else waiting."""

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext):
        super().__init__(address, handler)
        self._context = context

    def finish_request(self, request: Any, client_address: Any) -> None:
        with self._context.wrap_socket(request, server_side=True) as secured:
            super().finish_request(secured, client_address)


S = TypeVar("S", bound=BaseServer)


@contextmanager
def serving(server: S) -> Iterator[S]:
    """Answer in a thread for as long as the block lasts; then the server is closed, also when the test failed."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
