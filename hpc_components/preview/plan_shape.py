"""Defines the keys of a plan document that readers rely on. Other keys are ignored."""

from typing import Any, Literal, NotRequired

from pydantic import TypeAdapter
from typing_extensions import TypedDict


class _Resource(TypedDict):
    urn: str
    type: str
    name: str
    parent: NotRequired[str | None]
    inputs: NotRequired[dict[str, Any]]
    depends_on: NotRequired[list[str]]
    protect: NotRequired[bool]
    retain: NotRequired[bool]
    component: NotRequired[bool]
    property_dependencies: NotRequired[dict[str, list[str]]]
    ignore_changes: NotRequired[list[str]]
    replace_on_changes: NotRequired[list[str]]
    delete_before_replace: NotRequired[bool]
    deleted_with: NotRequired[str | None]
    aliases: NotRequired[list[str]]


class _Total(TypedDict):
    hour: float
    month: float
    at_least: bool


class _Line(TypedDict):
    as_of: str
    resource: NotRequired[str]
    idle_hour: float
    idle_month: float


class _QueueCost(TypedDict):
    queue: str
    machine: NotRequired[str | None]
    max: NotRequired[int | None]
    node_hour: NotRequired[float | None]
    core_hour: NotRequired[float | None]


class _Cost(TypedDict):
    idle: _Total
    full: _Total
    lines: list[_Line]
    queues: list[_QueueCost]


class _Quota(TypedDict):
    service: str
    name: str
    code: str | None
    region: str | None
    unit: NotRequired[str | None]
    need: float
    default: float | None
    ask: bool


class _Finding(TypedDict):
    id: str
    level: Literal["error", "warning", "info"]
    path: str
    reason: str
    remedy: NotRequired[str]
    value: NotRequired[Any]
    file: NotRequired[str | None]
    line: NotRequired[int | None]
    column: NotRequired[int | None]
    places: NotRequired[list[str]]
    about: NotRequired[dict[str, str | None]]
    silenced: NotRequired[str]


class _Description(TypedDict):
    value: Any
    lines: dict[str, int]


class _Plan(TypedDict):
    stack: str
    cloud: str
    cluster: str
    region: str
    resources: list[_Resource]
    outputs: dict[str, Any]
    cost: _Cost
    quota: list[_Quota]
    findings: list[_Finding]
    access: NotRequired[dict[str, Any] | None]
    project: NotRequired[str]
    description: NotRequired[_Description | None]
    encrypted: NotRequired[dict[str, str] | None]


PLAN: TypeAdapter[Any] = TypeAdapter(_Plan)
