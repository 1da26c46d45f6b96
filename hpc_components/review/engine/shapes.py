"""Defines the parts of the Pulumi CLI's output formats that reviews rely on.

Source: pulumi, sdk/go/common/apitype: core.go (ResourceV3, DeploymentV3), events.go; pkg/display/json.go.
"""

from typing import Annotated, Any, NotRequired

from pydantic import Field, TypeAdapter
from typing_extensions import TypedDict

_Urn = Annotated[str, Field(pattern=r"^urn:pulumi:[^:]*::[^:]*::.+?::")]
_Texts = list[str] | None


class _State(TypedDict):
    urn: _Urn
    type: str
    custom: NotRequired[bool]
    delete: NotRequired[bool]
    external: NotRequired[bool]
    protect: NotRequired[bool]
    retainOnDelete: NotRequired[bool]
    pendingReplacement: NotRequired[bool]
    taint: NotRequired[bool]
    viewOf: NotRequired[str | None]
    parent: NotRequired[_Urn | Annotated[str, Field(max_length=0)] | None]
    inputs: NotRequired[dict[str, Any] | None]
    outputs: NotRequired[dict[str, Any] | None]
    dependencies: NotRequired[_Texts]
    propertyDependencies: NotRequired[dict[str, _Texts] | None]
    ignoreChanges: NotRequired[_Texts]
    replaceOnChanges: NotRequired[_Texts]
    aliases: NotRequired[_Texts]
    deletedWith: NotRequired[str | None]


class _Difference(TypedDict):
    kind: str
    inputDiff: bool


class _Step(TypedDict):
    op: str
    urn: _Urn
    oldState: NotRequired[_State | None]
    newState: NotRequired[_State | None]
    diffReasons: NotRequired[_Texts]
    replaceReasons: NotRequired[_Texts]
    detailedDiff: NotRequired[dict[str, _Difference] | None]


class _Diagnostic(TypedDict):
    severity: str
    message: str


class _Digest(TypedDict):
    steps: NotRequired[list[_Step] | None]
    changeSummary: NotRequired[dict[str, int] | None]
    diagnostics: NotRequired[list[_Diagnostic] | None]
    config: NotRequired[dict[str, str] | None]


class _EventDifference(TypedDict):
    diffKind: str
    inputDiff: NotRequired[bool]


class _Metadata(TypedDict):
    op: str
    urn: _Urn
    old: NotRequired[_State | None]
    new: NotRequired[_State | None]
    diffs: NotRequired[_Texts]
    keys: NotRequired[_Texts]
    detailedDiff: NotRequired[dict[str, _EventDifference] | None]


class _ResourcePre(TypedDict):
    metadata: _Metadata


class _Prelude(TypedDict):
    config: NotRequired[dict[str, str] | None]


class _Said(TypedDict):
    severity: str
    message: str
    prefix: NotRequired[str]


class _Summary(TypedDict):
    result: NotRequired[str]


class _Policy(TypedDict):
    policyName: str
    policyPackName: str
    message: str
    enforcementLevel: str
    resourceUrn: NotRequired[_Urn | Annotated[str, Field(max_length=0)]]


class _Remediation(TypedDict):
    policyName: str
    policyPackName: str
    resourceUrn: NotRequired[_Urn | Annotated[str, Field(max_length=0)]]
    before: NotRequired[dict[str, Any] | None]
    after: NotRequired[dict[str, Any] | None]


class _Event(TypedDict):
    resourcePreEvent: NotRequired[_ResourcePre]
    preludeEvent: NotRequired[_Prelude]
    diagnosticEvent: NotRequired[_Said]
    summaryEvent: NotRequired[_Summary]
    policyEvent: NotRequired[_Policy]
    policyRemediationEvent: NotRequired[_Remediation]


class _Operation(TypedDict):
    type: str
    resource: _State


class _Deployment(TypedDict):
    resources: NotRequired[list[_State] | None]
    pending_operations: NotRequired[list[_Operation] | None]


DIGEST: TypeAdapter[Any] = TypeAdapter(_Digest)
EVENTS: TypeAdapter[Any] = TypeAdapter(list[_Event])
DEPLOYMENT: TypeAdapter[Any] = TypeAdapter(_Deployment)
