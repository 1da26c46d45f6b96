"""The driver for a rehearsal. Its cloud is another process on this machine, which listens on a Unix socket.

The protocol has one request per connection. Both sides send one line of JSON in UTF-8:

    -> {"method": "launch", "launch": {"token": "...", "pool": {"queue": "cpu", "machine": "c7i.large",
        "zone": "use2-az2", "purchase": "spot"}, "nodes": ["cpu-1", "cpu-2"], "minimum": 1, "asked": 1790000000.0,
        "sizes": [1, 1]}}
    <- {"instances": [{"id": "i-1", "node": "cpu-1", "token": "...", "pool": {...}, "state": "pending",
        "launched": 1790000000.0, "failing": ""}]}
    -> {"method": "terminate", "ids": ["i-1"]}
    <- {}
    -> {"method": "list"}
    <- {"instances": [...]}
    -> {"method": "find", "ids": ["i-1"], "tokens": ["..."]}
    <- {"instances": [...]}

A refusal has the form {"error": "CapacityError", "message": "no c7i.large in use2-az2"}, where `error` is the name of
a class in `drivers.contract`. A RefusedError also has `kept` and `unclear`, which are lists of ids. If a call fails
in any other way, the connection is closed without a response, as may happen with any cloud.
"""

import json
import socket
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.drivers.contract import (
    BudgetError,
    CapacityError,
    LaunchError,
    Machines,
    QuotaError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.drivers.local.limits import LIMITS
from hpc_components.elastic.model import Instance, InstanceState, Launch, Pool

TIMEOUT_SECONDS = 30.0

_ERRORS = {each.__name__: each for each in (CapacityError, ThrottledError, RefusedError, QuotaError, BudgetError)}


def connect(config: Config) -> "LocalDriver":
    """Return the driver, as defined in `contract`. Raise ConfigError if no socket is configured."""
    if not config.socket:
        raise ConfigError("socket: missing; required for cloud 'local'")
    return LocalDriver(config.socket)


class LocalDriver:
    limits = LIMITS

    def __init__(self, path: str, timeout: float = TIMEOUT_SECONDS) -> None:
        self._path, self._timeout = path, timeout

    def launch(self, launch: Launch) -> Sequence[Instance]:
        reply = self._ask({"method": "launch", "launch": asdict(launch)})
        return [_instance(each) for each in reply["instances"]]

    def terminate(self, ids: Collection[str]) -> None:
        self._ask({"method": "terminate", "ids": sorted(ids)})

    def list(self) -> Sequence[Instance]:
        return [_instance(each) for each in self._ask({"method": "list"})["instances"]]

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        reply = self._ask({"method": "find", "ids": sorted(ids), "tokens": sorted(tokens)})
        return [_instance(each) for each in reply["instances"]]

    def _ask(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(self._timeout)
            connection.connect(self._path)
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile("rb") as lines:
                line = lines.readline()
        if not line.endswith(b"\n"):
            raise ConnectionError(f"{self._path}: the response to {request['method']!r} is incomplete")
        reply = json.loads(line)
        if "error" in reply:
            kind = _ERRORS[reply["error"]]
            if issubclass(kind, RefusedError):
                raise kind(reply["message"], reply.get("kept", ()), reply.get("unclear", ()))
            raise kind(reply["message"])
        return reply


def answer(machines: Machines, line: str | bytes) -> bytes:
    """Execute the request in `line` with `machines`, and return the response line.

    This function is for the process at the other end of the socket.
    """
    request = json.loads(line)
    reply: dict[str, Any] = {}
    try:
        if request["method"] == "launch":
            reply["instances"] = [asdict(each) for each in machines.launch(_launch(request["launch"]))]
        elif request["method"] == "terminate":
            machines.terminate(request["ids"])
        elif request["method"] == "list":
            reply["instances"] = [asdict(each) for each in machines.list()]
        elif request["method"] == "find":
            reply["instances"] = [asdict(each) for each in machines.find(request["ids"], request["tokens"])]
        else:
            raise RefusedError(f"unknown method {request['method']!r}")
    except LaunchError as error:
        reply = {"error": type(error).__name__, "message": str(error)}
        if isinstance(error, RefusedError):
            reply |= {"kept": error.kept, "unclear": error.unclear}
    return json.dumps(reply).encode() + b"\n"


def _launch(value: dict[str, Any]) -> Launch:
    value |= {"pool": Pool(**value["pool"]), "nodes": tuple(value["nodes"]), "sizes": tuple(value.get("sizes", ()))}
    return Launch(**value)


def _instance(value: dict[str, Any]) -> Instance:
    value |= {"pool": Pool(**value["pool"]), "state": InstanceState(value["state"])}
    return Instance(**value)
