"""Accounts of AWS for `hpc preflight`: moto's, with answers of our own where moto has none.

botocore checks the requests, and every answer of our own is compared with botocore's model of the answer. A call that
is not on preflight's list is refused, and counted.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import boto3
from botocore.config import Config

from hpc_components.aws.preflight.reader import calls

REGION = "us-east-2"
Answer = Callable[[Mapping[str, Any]], Any]
"""Takes the arguments of a call and returns the answer, or raises `RefusedError`."""


class RefusedError(Exception):
    """An error of the service: its code and HTTP status."""

    def __init__(self, code: str, status: int = 400) -> None:
        super().__init__(code)
        self.code, self.status = code, status


class AwsDouble:
    """Gives clients to preflight's reader. `answers` maps calls, e.g. `iam:GetRole`, to answers of our own."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.calls: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        """Calls that are not on preflight's list."""
        self.changes: dict[str, Callable[[Any], None]] = {}

    def client(self, service: str, open_region: bool = False) -> Any:
        config = Config(retries={"mode": "standard", "total_max_attempts": 3})
        made = boto3.client(service, "us-east-1" if open_region else REGION, config=config)
        made.meta.events.register_first("before-parameter-build", self._note)
        made.meta.events.register_first("before-call", self._before)
        made.meta.events.register_last("after-call", self._after)
        return made

    def change(self, name: str, change: Callable[[Any], None]) -> None:
        """Change the answer to a call before preflight gets it."""
        assert name in calls(), name
        self.changes[name] = change

    def deny(self, name: str) -> None:
        """Let the caller lack the permission for a call."""
        self.answer(name, _denied)

    def answer(self, name: str, answer: Answer) -> None:
        assert name in calls(), name
        self.answers[name] = answer

    def _note(self, params: Mapping[str, Any], model: Any, context: dict[str, Any], **_: Any) -> None:
        context["given"] = dict(params)

    def _before(self, model: Any, context: Mapping[str, Any], **_: Any) -> Any:
        name = f"{model.service_model.service_name}:{model.name}"
        self.calls[name] += 1
        if name not in calls():
            self.refused[name] += 1
            raise AssertionError(f"preflight must not call {name}")
        if name not in self.answers:
            return None
        try:
            found = self.answers[name](context["given"])
        except RefusedError as error:
            status = SimpleNamespace(status_code=error.status, headers={}, content=b"")
            meta = {"HTTPStatusCode": error.status, "RetryAttempts": 0}
            return status, {"Error": {"Code": error.code, "Message": error.code}, "ResponseMetadata": meta}
        fits(model.output_shape, found)
        answered = {"ResponseMetadata": {"HTTPStatusCode": 200, "HTTPHeaders": {}}}
        return SimpleNamespace(status_code=200, headers={}, content=b""), found | answered

    def _after(self, model: Any, parsed: Any, **_: Any) -> None:
        if change := self.changes.get(f"{model.service_model.service_name}:{model.name}"):
            change(parsed)


def _denied(_: Mapping[str, Any]) -> Any:
    raise RefusedError("AccessDeniedException", 403)


def fits(shape: Any, value: Any) -> None:
    """Fail for a key that botocore's model of an answer does not have."""
    if shape.type_name == "structure":
        assert isinstance(value, dict), (shape, value)
        for key, each in value.items():
            assert key in shape.members, f"{shape.name} has no {key}"
            fits(shape.members[key], each)
    elif shape.type_name == "list":
        for each in value:
            fits(shape.member, each)
