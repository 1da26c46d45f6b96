"""Serves Prometheus over HTTP: the daemon's status document at `/metrics`; Slurm's queue at `/metrics/slurm`, which
asks slurmctld and may take a while; and the login nodes to scrape at `/targets/login`, which asks the cloud."""

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hpc_components.elastic.drivers.contract import LaunchError
from hpc_components.elastic.report.exposition import family
from hpc_components.elastic.report.text import trouble

LOGIN_TARGETS = "/targets/login"
EXPOSITION = "text/plain; version=0.0.4; charset=utf-8"

_STATES = ("up", "coming", "going", "drained", "down", "off")


def as_prometheus(document: dict[str, Any]) -> str:
    return "".join(_families(document))


def _families(document: dict[str, Any]) -> Iterator[str]:
    queues, cycle, totals = document["queues"], document["cycle"], document["totals"]
    by_state = [({"queue": queue["name"], "state": state}, queue[state]) for queue in queues for state in _STATES]
    yield _family("nodes", "gauge", "Number of nodes by Slurm state.", by_state)
    yield _family("nodes_free", "gauge", "Number of registered nodes without a job.", _of_queues(queues, "free"))
    yield _family("nodes_max", "gauge", "Maximum number of nodes in the queue.", _of_queues(queues, "max"))
    yield _family(
        "machines", "gauge", "Number of machines that are running and billed.", _of_queues(queues, "machines")
    )
    yield _family(
        "machines_asked", "gauge", "Number of machines requested but not listed yet.", _of_queues(queues, "asked")
    )
    blocked = [
        ({key: pool[key] for key in ("queue", "machine", "zone", "purchase")}, pool["until"])
        for pool in document["blocked"]
    ]
    yield _family(
        "pool_blocked_until_timestamp_seconds", "gauge", "Time at which a blocked pool is tried again.", blocked
    )
    failed = [
        ({key: one[key] for key in ("queue", "machine", "check")}, one["machines"])
        for one in document["failed_checks"]
    ]
    words = "Machines that failed a check of their health, by machine type and check."
    yield _family("unhealthy_nodes_total", "counter", words, failed)
    if document.get("budget"):
        yield from _budget(document["budget"])
    if costs := document.get("costs"):
        spent = [({"queue": queue}, float(usd)) for queue, usd in costs["counters"].items()]
        words = "Cost of the queue's machines since the beginning of the UTC month, in USD."
        yield _family("dollars_total", "counter", words, spent)
        words = "Cost of the head node, storage and other services since the beginning of the UTC month, in USD."
        yield _family("services_dollars_total", "counter", words, [({}, float(costs["services"]))])
        words = "Cost per hour of everything that runs now, in USD."
        yield _family("dollars_per_hour", "gauge", words, [({}, float(costs["per_hour"]))])
    yield _family(
        "healthy", "gauge", "1 if Slurm and the cloud respond and cycles are on time.", [({}, not trouble(document))]
    )
    yield _family(
        "last_cycle_timestamp_seconds", "gauge", "Time at which the last cycle began.", [({}, cycle["time"])]
    )
    yield _family("start_time_seconds", "gauge", "Time at which the daemon started.", [({}, document["started"])])
    yield _family("cycles_total", "counter", "Cycles run.", [({}, totals["cycles"])])
    yield _family("cycle_seconds_total", "counter", "Time spent in cycles.", [({}, totals["cycle_seconds"])])
    yield _family("cloud_calls_total", "counter", "Calls to the cloud's API.", [({}, totals["calls"])])
    events = [({"kind": kind}, count) for kind, count in totals["events"].items()]
    yield _family("events_total", "counter", "Events by kind, such as launch, capacity or terminate.", events)
    wakes = [({"program": program}, count) for program, count in totals["wakes"].items()]
    yield _family("wakes_total", "counter", "Calls to resume, suspend and resume-fail by Slurm.", wakes)


def _budget(budget: dict[str, Any]) -> Iterator[str]:
    yield _family("budget_dollars", "gauge", "The month's budget in USD.", [({}, budget["limit_usd"])])
    yield _family(
        "budget_spent_dollars",
        "gauge",
        "USD spent since the beginning of the month (UTC).",
        [({}, budget["spent_usd"])],
    )
    yield _family(
        "budget_stopped", "gauge", "1 if nothing is launched because the budget is spent.",
        [({}, bool(budget["stopped"]))],
    )  # fmt: skip


def _of_queues(queues: list[dict[str, Any]], column: str) -> list[tuple[dict[str, str], float]]:
    return [({"queue": queue["name"]}, queue[column]) for queue in queues]


def _family(name: str, kind: str, words: str, samples: list[tuple[dict[str, str], Any]]) -> str:
    return family(f"hpc_elastic_{name}", kind, words, samples)


class Exporter:
    """Serves metrics at `host:port`, in separate threads, until it is closed."""

    def __init__(self, address: str, pages: Mapping[str, Callable[[], str]]) -> None:
        """Start listening. `pages` maps each path to a function that returns its text, or raises LaunchError or
        OSError, which is answered with HTTP 503.

        Raise ValueError if `address` is not `host:port`, or OSError if the address is not available.
        """
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise ValueError(f"{address!r} is not a valid address; enter one such as 127.0.0.1:9818")
        self._server = _Server((host.strip("[]"), int(port)), _Handler)
        self._server.pages = pages
        threading.Thread(target=self._server.serve_forever, args=(0.1,), daemon=True, name="metrics").start()

    @property
    def port(self) -> int:
        """Port that the exporter listens on. If port 0 was requested, the operating system has chosen this port."""
        return self._server.server_address[1]

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    pages: Mapping[str, Callable[[], str]]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore scrapers that disconnect. Raise any other error, which is logged and ends the thread."""
        error = sys.exc_info()[1]
        if error and not isinstance(error, OSError):
            raise error


class _Handler(BaseHTTPRequestHandler):
    server: _Server  # ty: ignore

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        page = self.server.pages.get(path)
        if page is None:
            self.send_error(404, explain=f"metrics are served at {' and '.join(self.server.pages)}")
            return
        try:
            text = page().encode()
        except (LaunchError, OSError) as error:  # Prometheus goes on with the last answer
            self.send_error(503, explain=str(error))
            return
        self.send_response(200)
        self.send_header("Content-Type", "application/json" if path == LOGIN_TARGETS else EXPOSITION)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: Any) -> None:
        """Suppress the log line for each request."""
