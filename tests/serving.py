"""Servers that tests start."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from socketserver import BaseServer
from typing import TypeVar

__all__ = ["HttpServer", "serving"]


class HttpServer(ThreadingHTTPServer):
    """Loses no connection on a busy machine: who finds the queue of five full asks again after 1, 3 and 7 seconds."""

    daemon_threads = True
    request_queue_size = 128


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
