"""The plan of a stack as one document, the same on every run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from hpc_components.document_shape import WrongShapeError, check_shape
from hpc_components.errors import HpcError
from hpc_components.preview.cost import cost_of
from hpc_components.preview.judge import judge_resources
from hpc_components.preview.quota import quotas_of
from hpc_components.preview.resources import Resource, Resources
from hpc_components.spec.findings import Finding
from hpc_components.spec.input_rules import INPUT_RULES
from hpc_components.spec.printable import json_text
from hpc_components.strict_json import InvalidJsonError, parse_json

if TYPE_CHECKING:
    from hpc_components.preview.inputs import InputFault
    from hpc_components.preview.recording import RecordedResource, Recording

__all__ = ["VERSION", "Plan", "UnreadablePlanError", "make_plan", "resources_of"]

VERSION = 1
"""Version of the document's shape, under the key `plan`."""


class UnreadablePlanError(HpcError, ValueError):
    """A text that is not a plan document. The message says what is wrong and how to write a plan."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a stack will be: its resources, their cost, the quotas they need, and what the rules say.

    Secrets read `<secret>`, values that only the cloud will know `<unknown>`. All parts but the resources are plain
    JSON; `cost_of` and `quotas_of` describe the shapes of `cost` and `quota`, `Finding.to_dict` that of a finding.
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
    """Who may do what, as `access_of` has it; None where the program describes no cluster."""
    project: str = ""
    """Name of the Pulumi project."""
    description: Mapping[str, Any] | None = None
    """The cluster's description as written, as `described` has it; None where the program describes no cluster."""

    encrypted: Mapping[str, str] | None = None
    """Encrypted config values by their paths, as `encrypted` has them; None where that is not known."""

    @property
    def reported(self) -> list[Mapping[str, Any]]:
        """The findings that nobody silenced."""
        return [finding for finding in self.findings if "silenced" not in finding]

    def to_json(self) -> str:
        """The document: keys sorted, resources in the order of their URNs, a line break at the end."""
        document = {field.name: getattr(self, field.name) for field in fields(self)}
        document |= {"plan": VERSION, "resources": [_plain(resource) for resource in self.resources]}
        return json_text(document) + "\n"

    @classmethod
    def from_json(cls, text: str) -> "Plan":
        """Read a document that `to_json` wrote; UnreadablePlanError where it is none or of another version.

        Keys that this release does not know are left out: a later one may have added them.
        """
        from hpc_components.preview.plan_shape import PLAN  # costs time, and making a plan needs none of it

        remedy = "write one with `hpc preview STACK --format json`"
        try:
            document = parse_json(text)
        except InvalidJsonError as error:
            raise UnreadablePlanError(f"{error}; {remedy}") from None
        version = document.pop("plan", None) if isinstance(document, dict) else None
        if version != VERSION:
            raise UnreadablePlanError(f"`plan` is {version!r}, where {VERSION} was expected; {remedy}")
        missing = {field.name for field in fields(cls) if field.default is MISSING} - document.keys()
        if missing:
            raise UnreadablePlanError(f"the plan has no {', '.join(sorted(missing))}; {remedy}")
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
    """The plan of a recorded stack program: its resources counted, priced and judged.

    Prices and quotas are those of `region`; a part that is `elsewhere`, in these regions, is told beside the cost.

    Inputs that the cloud would refuse become findings `HPC-INP-...` beside those given, and what the rules of the
    plan find `HPC-PLN-...`. `silence` holds reasons by id: such findings of that id stay in the document, with the
    reason, and are not reported. `access` is what `access_of` says of the described cluster, `description` what
    `described` does, `encrypted` what `preview.description.encrypted` says of the configuration.
    """
    from hpc_components.preview.inputs import check_inputs  # knows the SDKs; reading a plan needs none

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
        cost=cost_of(resources, cloud, region, elsewhere),
        quota=quotas_of(resources, cloud, region),
        findings=[each.to_dict() for each in sorted([*said, *faults], key=Finding.sort_key)],
        access=access,
        project=recording.project,
        description=description,
        encrypted=encrypted,
    )


def resources_of(recording: "Recording") -> Resources:
    """The recorded resources, as plans have them."""
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
    """The keys of a document that are fields."""
    names = {field.name for field in fields(kind)}
    return {key: value for key, value in document.items() if key in names}


def _finding(fault: "InputFault", silence: Mapping[str, str]) -> Finding:
    """A finding for an input that the cloud would refuse; its path names the resource."""
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
