"""Defines the plan document. The same inputs always produce the same text."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hpc_components.document_shape import WrongShapeError, check_shape
from hpc_components.errors import HpcError
from hpc_components.preview.cost import cost_of
from hpc_components.preview.images import MadeImage, made_images
from hpc_components.preview.judge import judge_resources
from hpc_components.preview.quota import quotas_of
from hpc_components.preview.rates import rates_in
from hpc_components.preview.resources import Resource, Resources
from hpc_components.spec.findings import Finding
from hpc_components.spec.input_rules import INPUT_RULES
from hpc_components.spec.printable import json_text
from hpc_components.strict_json import InvalidJsonError, parse_json

if TYPE_CHECKING:
    from hpc_components.preview.inputs import InputFault
    from hpc_components.preview.recording import RecordedResource, Recording

VERSION = 1
"""Format version, stored under the key `plan`."""


class UnreadablePlanError(HpcError, ValueError):
    """Raised if a text is not a plan document. The message explains what is wrong and how to write a plan."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A planned stack: resources, cost, required quotas, and findings.

    Secrets are replaced by `<secret>`, and values that are unknown before deployment by `<unknown>`. Everything
    except the resources consists of plain JSON types. For the formats of `cost`, `quota` and findings, see `cost_of`,
    `quotas_of` and `Finding.to_dict`.
    """

    stack: str
    cloud: str
    cluster: str
    region: str
    resources: Resources
    outputs: Mapping[str, Any]
    cost: Mapping[str, Any]
    quota: Sequence[Mapping[str, Any]]
    findings: Sequence[Mapping[str, Any]]
    access: Mapping[str, Any] | None = None
    """Result of `access_of`, or None if the program doesn't describe a cluster."""
    project: str = ""
    description: Mapping[str, Any] | None = None
    """Result of `described`, or None if the program doesn't describe a cluster."""

    encrypted: Mapping[str, str] | None = None
    """Maps the path of each encrypted config value to its hash, or None if unknown. See
    `preview.description.encrypted`."""

    @property
    def images(self) -> tuple[MadeImage, ...]:
        """Images that the stack makes from recipes."""
        return made_images(self.resources, (self.description or {}).get("value"))

    @property
    def reported(self) -> list[Mapping[str, Any]]:
        return [finding for finding in self.findings if "silenced" not in finding]

    def to_json(self) -> str:
        """Return the document as JSON with sorted keys and a trailing newline. Resources are in URN order."""
        document = {field.name: getattr(self, field.name) for field in fields(self)}
        document |= {"plan": VERSION, "resources": [_plain(resource) for resource in self.resources]}
        return json_text(document) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """Read a document written by `to_json`. Raise UnreadablePlanError if it is not a plan or has a different
        version.

        Unknown keys are ignored, because a later release may have added them.
        """
        from hpc_components.preview.plan_shape import PLAN  # slow to import, and only needed here

        remedy = "write a plan with `hpc preview STACK --format json`"
        try:
            document = parse_json(text)
        except InvalidJsonError as error:
            raise UnreadablePlanError(f"{error}; {remedy}") from None
        version = document.pop("plan", None) if isinstance(document, dict) else None
        if version != VERSION:
            raise UnreadablePlanError(f"`plan` must be {VERSION}, not {version!r}; {remedy}")
        missing = {field.name for field in fields(cls) if field.default is MISSING} - document.keys()
        if missing:
            raise UnreadablePlanError(f"the plan lacks {', '.join(sorted(missing))}; {remedy}")
        try:
            check_shape(PLAN, document)
        except WrongShapeError as error:
            raise UnreadablePlanError(f"this is not a plan: {error}; {remedy}") from None
        resources = Resources(_read(each) for each in document.pop("resources"))
        return cls(resources=resources, **_known(cls, document))


def make_plan(
    recording: "Recording",
    *,
    cloud: str,
    cluster: str,
    region: str,
    elsewhere: Sequence[str] = (),
    findings: Iterable[Finding] = (),
    silence: Mapping[str, str] = MappingProxyType({}),
    access: Mapping[str, Any] | None = None,
    description: Mapping[str, Any] | None = None,
    encrypted: Mapping[str, str] | None = None,
) -> Plan:
    """Build the plan of a recorded stack program, including its cost, quotas and findings.

    - `region`: the region whose prices and quotas are used
    - `elsewhere`: other regions that the stack uses. A note in the cost lists them.
    - `findings`: the findings of the rules for descriptions. The plan also includes inputs that the cloud would
      refuse (`HPC-INP-...`) and violations of plan rules (`HPC-PLN-...`).
    - `silence`: maps finding ids to reasons. A silenced finding stays in the document with its reason, but is not
      reported.
    - `access`, `description` and `encrypted`: the results of `access_of`, `described` and
      `preview.description.encrypted`
    """
    # imported here so that reading a plan doesn't require SDKs
    from hpc_components.preview.inputs import check_inputs

    resources = resources_of(recording)
    said = [*findings]
    faults = [_finding(fault, silence) for fault in check_inputs(recording)]
    faults += judge_resources(resources, said={each.id for each in said}, silence=silence)
    return Plan(
        stack=recording.stack,
        cloud=cloud,
        cluster=cluster,
        region=region,
        resources=resources,
        outputs=dict(recording.outputs),
        cost=cost_of(resources, cloud, region, elsewhere, rates_in((description or {}).get("value"))),
        quota=quotas_of(resources, cloud, region),
        findings=[each.to_dict() for each in sorted([*said, *faults], key=Finding.sort_key)],
        access=access,
        project=recording.project,
        description=description,
        encrypted=encrypted,
    )


def resources_of(recording: "Recording") -> Resources:
    return Resources(_resource(recorded) for recorded in recording.resources)


def _resource(recorded: "RecordedResource") -> Resource:
    return Resource(
        urn=recorded.urn,
        type=recorded.type,
        name=recorded.name,
        parent=recorded.parent,
        inputs=recorded.inputs,
        depends_on=tuple(sorted(recorded.depends_on)),
        protect=recorded.protect,
        retain=recorded.retain,
        component=not recorded.custom,
        property_dependencies=recorded.property_dependencies,
        ignore_changes=recorded.ignore_changes,
        replace_on_changes=recorded.replace_on_changes,
        delete_before_replace=recorded.delete_before_replace,
        deleted_with=recorded.deleted_with,
        aliases=recorded.aliases,
    )


def _plain(resource: Resource) -> dict[str, Any]:
    return {field.name: getattr(resource, field.name) for field in fields(resource)}


def _read(plain: dict[str, Any]) -> Resource:
    arguments: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in _known(Resource, plain).items()
    }
    sources = plain.get("property_dependencies", {})
    arguments["property_dependencies"] = {name: tuple(urns) for name, urns in sources.items()}
    return Resource(**arguments)


def _known(kind: type[Plan] | type[Resource], document: Mapping[str, Any]) -> dict[str, Any]:
    names = {field.name for field in fields(kind)}
    return {key: value for key, value in document.items() if key in names}


def _finding(fault: "InputFault", silence: Mapping[str, str]) -> Finding:
    rule = INPUT_RULES[fault.kind]
    return Finding(
        id=rule.id,
        level=rule.level,
        path=f"{fault.type.rpartition(':')[2]} {fault.name}: {fault.path}",
        value=fault.value,
        reason=fault.reason,
        remedy=fault.remedy,
        silenced=silence.get(rule.id),
    )
