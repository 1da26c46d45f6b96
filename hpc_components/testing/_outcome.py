"""Parses the results of an engine run, which the Pulumi CLI prints in one of two JSON formats."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_REPLACING = ("replace", "create-replacement", "delete-replaced")


@dataclass(frozen=True, kw_only=True)
class Step:
    """An operation on a resource. A replacement consists of three steps."""

    op: str
    """Operation, e.g. `create`, `update`, `delete`, `same`, `replace`, `create-replacement`, `delete-replaced` or
    `discard`."""
    urn: str
    type: str
    name: str
    changed: tuple[str, ...] = ()
    """Top-level properties that differ."""
    forcing: tuple[str, ...] = ()
    """Properties in `changed` that require a replacement."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of a preview, an update or a destroy."""

    steps: tuple[Step, ...]
    errors: tuple[str, ...] = ()
    """Error messages from the engine, the providers and the program."""
    document: Any = field(repr=False)
    """The CLI's output: the digest from `preview --json`, or a list of events from any other command."""

    def of(self, *ops: str) -> tuple[Step, ...]:
        """Return the steps whose operation is one of `ops`."""
        return tuple(step for step in self.steps if step.op in ops)

    def urns(self, *ops: str) -> frozenset[str]:
        """Return the URNs of the steps whose operation is one of `ops`."""
        return frozenset(step.urn for step in self.of(*ops))

    @property
    def replaced(self) -> frozenset[str]:
        """URNs of the resources that are replaced."""
        return self.urns(*_REPLACING)

    @property
    def planned(self) -> "StackState":
        """The state that would result from the previewed changes, with placeholders for unknown values.

        Available only for previews, because other commands don't report the new state.
        """
        return StackState.of_records(
            step["newState"] for step in self.document.get("steps") or () if "newState" in step
        )

    @property
    def changes(self) -> Mapping[str, int]:
        """Number of steps for each operation except `same`."""
        return dict(sorted(Counter(step.op for step in self.steps if step.op != "same").items()))


@dataclass(frozen=True, kw_only=True)
class StateResource:
    """A resource in a stack's state."""

    urn: str
    type: str
    id: str
    """Id in the cloud; empty for components."""
    parent: str | None
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    protect: bool
    retain: bool
    deleted_with: str | None
    """URN of the resource whose deletion also deletes this one."""
    custom: bool
    dependencies: tuple[str, ...]


@dataclass(frozen=True)
class StackState:
    """The resources in a stack's state, except the stack itself and its providers."""

    resources: Mapping[str, StateResource]
    """Maps URNs to resources."""

    @classmethod
    def of_records(cls, records: Iterable[Mapping[str, Any]]) -> "StackState":
        """Build a state from resource records, in the format that Pulumi uses in states and previews."""
        kept = (each for each in records if not each["type"].startswith(("pulumi:pulumi:", "pulumi:providers:")))
        return cls({each["urn"]: _state(each) for each in kept})

    def __len__(self) -> int:
        return len(self.resources)

    def __iter__(self) -> Iterator[StateResource]:
        return iter(self.resources.values())

    def of(self, type_: str) -> tuple[StateResource, ...]:
        """Return all resources of the given type."""
        return tuple(resource for resource in self if resource.type == type_)


def from_digest(text: str) -> Outcome:
    """Parse the output of `pulumi preview --json`."""
    digest = json.loads(text)
    steps = tuple(
        _step(each, changed=each.get("diffReasons"), forcing=each.get("replaceReasons"))
        for each in digest.get("steps") or ()
    )
    errors = (each["message"] for each in digest.get("diagnostics") or () if each["severity"] == "error")
    return Outcome(steps=steps, errors=tuple(errors), document=digest)


def from_events(lines: Iterable[str]) -> Outcome:
    """Parse the output of `pulumi up --json` or a similar command, which prints one event per line."""
    events = [json.loads(line) for line in lines if line.startswith("{")]
    begun = (each["resourcePreEvent"]["metadata"] for each in events if "resourcePreEvent" in each)
    steps = tuple(_step(each, changed=each.get("diffs"), forcing=each.get("keys")) for each in begun)
    said = (each["diagnosticEvent"] for each in events if "diagnosticEvent" in each)
    errors = tuple(each["message"] for each in said if each["severity"] == "error")
    return Outcome(steps=steps, errors=errors, document=events)


def from_export(text: str) -> StackState:
    """Parse the output of `pulumi stack export`."""
    return StackState.of_records(json.loads(text)["deployment"].get("resources") or ())


def _step(step: Mapping[str, Any], *, changed: Any, forcing: Any) -> Step:
    _, _, chain, name = step["urn"].split("::", 3)
    return Step(
        op=step["op"],
        urn=step["urn"],
        type=chain.rpartition("$")[2],
        name=name,
        changed=tuple(changed or ()),
        forcing=tuple(forcing or ()),
    )


def _state(record: Mapping[str, Any]) -> StateResource:
    return StateResource(
        urn=record["urn"],
        type=record["type"],
        id=record.get("id", ""),
        parent=record.get("parent"),
        inputs=record.get("inputs", {}),
        outputs=record.get("outputs", {}),
        protect=record.get("protect", False),
        retain=record.get("retainOnDelete", False),
        deleted_with=record.get("deletedWith"),
        custom=record["custom"],
        dependencies=tuple(record.get("dependencies") or ()),
    )
