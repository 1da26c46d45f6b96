"""Machines of the toy cloud. Each has its node's name from its launch; a template for each pool says the rest."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from hpc_components.elastic.drivers.toy.api import Api
from hpc_components.elastic.drivers.toy.limits import LIMITS

from hpc_components.elastic.config import Config, ConfigError
from hpc_components.elastic.drivers.contract import (
    CapacityError,
    LaunchError,
    RefusedError,
    ThrottledError,
)
from hpc_components.elastic.drivers.unended import raise_unended
from hpc_components.elastic.model import Instance, InstanceState, Launch, LoginNode, Pool

_ERRORS: dict[int, type[LaunchError]] = {409: CapacityError, 422: RefusedError, 429: ThrottledError}


def connect(config: Config) -> "ToyDriver":
    """As `contract` has it. ConfigError without the config bucket, by which a cluster's machines are known."""
    if not config.config:
        raise ConfigError("config: missing; cloud 'toy' needs the cluster's config bucket, the label hpc_config")
    return ToyDriver(config.config, Api())


class ToyDriver:
    """The machines that were launched for one config bucket."""

    limits = LIMITS

    def __init__(self, config: str, api: Api) -> None:
        self._api, self._config = api, config

    def launch(self, launch: Launch) -> Sequence[Instance]:
        """Make machines; as in `Machines`."""
        return self._machines("launch", {"launch": asdict(launch)})

    def terminate(self, ids: Collection[str]) -> None:
        """End machines; as in `Machines`."""
        answers = self._ask("terminate", {"ids": sorted(ids)})
        raise_unended({id: _ending_error(id, *answer) for id, answer in answers.items()}, len(ids))

    def list(self) -> Sequence[Instance]:
        """All machines; as in `Machines`."""
        return self._machines("list", {})

    def find(self, ids: Collection[str], tokens: Collection[str] = ()) -> Sequence[Instance]:
        """Machines by id and by token; as in `Machines`."""
        return self._machines("find", {"ids": sorted(ids), "tokens": sorted(tokens)})

    def login_nodes(self) -> Sequence[LoginNode]:
        """All that run; as in `LoginNodesListed`."""
        return [LoginNode(**each) for each in self._ask("login", {})]

    def _machines(self, call: str, body: Mapping[str, Any]) -> "list[Instance]":
        return [_instance(each) for each in self._ask(call, body)]

    def _ask(self, call: str, body: Mapping[str, Any]) -> Any:
        status, said = self._api.ask("POST", f"/machines/{call}", {**body, "config": self._config})
        if status in _ERRORS:
            raise _ERRORS[status](str(said))
        if status != 200:
            raise OSError(f"{call}: the toy cloud answers {status}: {said}")
        return said


def _ending_error(id: str, status: int, words: str) -> Exception:
    """Return the error for one machine that the cloud does not end."""
    error = _ERRORS.get(status, OSError)
    return RefusedError(words, kept=[id]) if error is RefusedError else error(words)


def _instance(plain: Mapping[str, Any]) -> Instance:
    values = {**plain, "pool": Pool(**plain["pool"]), "state": InstanceState(plain["state"])}
    return Instance(**values)
