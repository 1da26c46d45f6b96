from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.aws.session_manager.offer import SessionOrder, facts_of_kind, refusals
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.nested import text_at
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resource, Resources
from hpc_components.spec.findings import Level
from hpc_components.spec.input_rules import FaultKind
from hpc_components.spec.surfaces import Keys
from hpc_components.strict_json import InvalidJsonError, parse_json
from hpc_components.wording import plural

DOCUMENT = "aws:ssm/document:Document"

_INPUTS: Keys = {"idle_minutes": None, "max_minutes": None, "sessions": None, "log_days": None}
"""No field of an order is an input: the durations are inside the document's content, and a separate rule checks the
retention time of log groups."""

_TIMES = {"idle_minutes": "idleSessionTimeout", "max_minutes": "maxSessionDuration"}
"""Maps fields of an order to the names of a session document's preferences."""


class SessionManagerPlan(PlanReader):
    def not_counted(self, resources: Resources) -> Iterator[str]:
        if any(_limit(resources, each) for each in resources.of_type(DOCUMENT)):
            yield "runs of the function that limits sessions"

    def service_cards(self, resources: Resources, linked: Iterable[str]) -> Iterator[Card]:
        for each in resources.of_type(DOCUMENT):
            preferences = _preferences(each.inputs)
            if preferences.get("runAsEnabled") is True:
                limit = _limit(resources, each)
                most = f"at most {plural(limit, 'session')} at a time" if limit else None
                logged = "logged" if preferences.get("cloudWatchLogGroupName") else None
                lines = ("users log in under their own accounts", most, logged)
                yield Card(kind="users", title="Session Manager", lines=tuple(filter(None, lines)))

    def inputs(self) -> InputFacts:
        return InputFacts(properties=rules_of_records(facts_of_kind("input")), relations={DOCUMENT: (_durations,)})


READER = SessionManagerPlan()


def _preferences(inputs: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the preferences in a session document, which are empty if the document is unknown, or not in JSON."""
    try:
        content = parse_json(text_at(inputs, "content") or "")
    except InvalidJsonError:
        return {}
    found = (
        content.get("inputs") if isinstance(content, Mapping) and inputs.get("documentType") == "Session" else None
    )
    return found if isinstance(found, Mapping) else {}


def _limit(resources: Resources, document: Resource) -> int | None:
    """Return the maximum number of sessions per user that the function beside a document enforces."""
    around = resources.parent(document)
    return around.number("maxSessionsPerUser") if around and around.type == "hpc:aws:SessionManager" else None


def _durations(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    written = {field: _preferences(inputs).get(name) for field, name in _TIMES.items()}
    numbers = {field: int(text) for field, text in written.items() if isinstance(text, str) and text.isdecimal()}
    for refusal in refusals(SessionOrder(**numbers)):
        if refusal.level is Level.ERROR:
            name = _TIMES[refusal.field]
            yield PropertyFault(
                kind=FaultKind.OUT_OF_RANGE,
                path="content",
                value=numbers[refusal.field],
                reason=f"{name}: {refusal.reason}",
                remedy=f"use {refusal.changes[refusal.field]}",
            )
