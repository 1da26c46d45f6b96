from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pulumi.runtime.proto import engine_pb2, resource_pb2

from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.recorder.aliases import alias_urns, make_urn
from hpc_components.preview.recorder.standins import standin_id, standin_outputs
from hpc_components.preview.recorder.wire import Empty, Struct, WireReader, secret_value, to_struct
from hpc_components.preview.recording import ProgramError, RecordedResource, Recording, SaidLine
from hpc_components.preview.resources import UNKNOWN

InvokeAnswer = Mapping[str, Any] | Callable[[dict[str, Any]], Mapping[str, Any]]
"""Result of a call such as `aws:ec2/getAmi:getAmi`, or a function that takes the arguments and returns the result.
Keys are wire names."""

_STACK = "pulumi:pulumi:Stack"
_PROVIDERS = "pulumi:providers:"
_GET_RESOURCE = "pulumi:pulumi:getResource"
"""Token of the SDK's call that turns a URN in the inputs back into a resource."""

_SEVERITIES = {engine_pb2.INFO: "info", engine_pb2.WARNING: "warning", engine_pb2.ERROR: "error"}

# OUTPUT_VALUES is omitted so that the SDK marks secrets in place. Invoke gating is omitted so that the SDK handles
# it.
_FEATURES = [
    resource_pb2.ResourceMonitorFeature.Value(f"RESOURCE_MONITOR_FEATURE_{name}")
    for name in (
        *("SECRETS", "RESOURCE_REFERENCES", "ALIAS_SPECS", "DELETED_WITH", "REPLACE_WITH", "REPLACEMENT_TRIGGER"),
        *("TRANSFORMS", "INVOKE_TRANSFORMS", "PARAMETERIZATION", "RESOURCE_HOOKS", "ERROR_HOOKS"),
    )
]

_TRANSFORMS_ARE_THE_ENGINES = (
    "transforms run in the Pulumi engine, which is not used for this plan; use `transformations`, which run "
    "in the program"
)


class RecordingEngine:
    def __init__(self) -> None:
        self.logs: list[engine_pb2.LogRequest] = []

    def Log(self, request: engine_pb2.LogRequest) -> Any:
        if request.severity in _SEVERITIES:
            self.logs.append(request)
        return Empty()

    def RequirePulumiVersion(self, _request: object) -> Any:
        """Accept any version requirement, because no engine is running."""
        return Empty()


class RecordingMonitor:
    """The resource monitor that the SDK connects to. Method names come from the gRPC service ResourceMonitor."""

    # ruff: noqa: N802

    def __init__(
        self,
        *,
        project: str,
        stack: str,
        preview: bool,
        root: Path,
        invokes: Mapping[str, InvokeAnswer],
        place_of: Callable[[Any], str | None],
    ) -> None:
        self._project, self._stack, self._preview = project, stack, preview
        self._invokes = invokes
        self._place_of = place_of
        self._wire = WireReader(root)
        self._stack_urn = ""
        self._resources: dict[str, RecordedResource] = {}
        self._reads: dict[str, RecordedResource] = {}
        self._traces: dict[str, Any] = {}
        self._answers: dict[str, resource_pb2.RegisterResourceResponse] = {}
        self._outputs: dict[str, Any] = {}

    def recording(self, engine: RecordingEngine) -> Recording:
        lines = (
            SaidLine(
                severity=_SEVERITIES[each.severity],
                text=self._wire.without_secrets(each.message),
                urn=each.urn or None,
            )
            for each in engine.logs
        )
        return Recording(
            project=self._project,
            stack=self._stack,
            resources=tuple(self._resources[urn] for urn in sorted(self._resources)),
            reads=tuple(self._reads[urn] for urn in sorted(self._reads)),
            outputs=self._outputs,
            files=dict(self._wire.files),
            logs=tuple(lines),
        )

    def without_secrets(self, text: str) -> str:
        return self._wire.without_secrets(text)

    def RegisterResource(self, request: Any) -> resource_pb2.RegisterResourceResponse:
        urn = make_urn(self._stack, self._project, request.parent, request.type, request.name)
        if request.type == _STACK:
            self._stack_urn = urn
            return resource_pb2.RegisterResourceResponse(urn=urn)
        if request.transforms:
            raise ProgramError(_TRANSFORMS_ARE_THE_ENGINES, self._place_of(request.stackTrace))
        self._refuse_twin(urn, request)
        self._resources[urn] = self._recorded(urn, request)
        self._traces[urn] = request.stackTrace
        if not request.custom:  # like the real engine, which has no component outputs at this point
            return resource_pb2.RegisterResourceResponse(urn=urn)
        id = "" if self._preview else standin_id(urn)
        self._answers[urn] = resource_pb2.RegisterResourceResponse(urn=urn, id=id, object=self._answer(urn, request))
        return self._answers[urn]

    def ReadResource(self, request: Any) -> resource_pb2.ReadResourceResponse:
        """Record an existing cloud object. Even in an update, only the inputs specified in the program are known."""
        urn = make_urn(self._stack, self._project, request.parent, request.type, request.name)
        id = self._wire.text(request.id)
        self._reads[urn] = RecordedResource(
            urn=urn,
            type=request.type,
            name=request.name,
            parent=self._parent(request),
            inputs=self._wire.struct(request.properties),
            import_id=id,
        )
        known_id = "" if id == UNKNOWN else id
        return resource_pb2.ReadResourceResponse(urn=urn, id=known_id, properties=request.properties, unknown=True)

    def RegisterResourceOutputs(self, request: Any) -> Any:
        """Record the stack's outputs (its exports). Outputs of components stay in the program."""
        if request.urn == self._stack_urn:
            self._outputs = self._wire.struct(request.outputs)
        return Empty()

    def Invoke(self, request: Any) -> resource_pb2.ResourceInvokeResponse:
        """Respond with the result specified for the call. Raise ProgramError if none was specified."""
        response = resource_pb2.ResourceInvokeResponse()
        result = getattr(response, "return")
        if request.tok == _GET_RESOURCE:
            known = self._answers.get(request.args["urn"]) or resource_pb2.RegisterResourceResponse()
            result.update({"urn": request.args["urn"], "id": known.id})
            result.fields["state"].struct_value.CopyFrom(known.object)
            return response
        answer = self._invokes.get(request.tok) or reader_of_type(request.tok).answers().get(request.tok)
        if answer is None:
            raise ProgramError(f"a plan made without a cloud can't call {request.tok}; pass the value as config")
        values: Any = answer(self._wire.struct(request.args)) if callable(answer) else answer
        result.CopyFrom(to_struct(values))
        return response

    def Call(self, request: Any) -> Any:
        """Refuse to call a resource's method, because only a cloud could respond."""
        raise ProgramError(
            f"a plan made without a cloud can't call {request.tok}", self._place_of(request.stackTrace)
        )

    def RegisterStackTransform(self, _request: object) -> None:
        """Refuse transforms, because a recording without them would show a different stack."""
        raise ProgramError(_TRANSFORMS_ARE_THE_ENGINES)

    RegisterStackInvokeTransform = RegisterStackTransform

    def RegisterResourceHook(self, _request: object) -> Any:
        """Accept hooks but never run them, because no real operations take place."""
        return Empty()

    RegisterErrorHook = RegisterResourceHook
    SignalAndWaitForShutdown = RegisterResourceHook

    def RegisterPackage(self, request: Any) -> resource_pb2.RegisterPackageResponse:
        return resource_pb2.RegisterPackageResponse(ref=request.name)

    def GetDeploymentInfo(self, _request: object) -> resource_pb2.DeploymentInfo:
        return resource_pb2.DeploymentInfo(supportedFeatures=_FEATURES)

    def _recorded(self, urn: str, request: Any) -> RecordedResource:
        parent = self._resources.get(request.parent)
        inputs = self._wire.struct(request.object)
        if request.type.startswith(_PROVIDERS) and request.version:
            inputs["version"] = request.version  # like the engine, which adds the requested plugin version
        return RecordedResource(
            urn=urn,
            type=request.type,
            name=request.name,
            parent=self._parent(request),
            inputs=inputs,
            depends_on=tuple(sorted(set(request.dependencies))),
            property_dependencies={
                name: tuple(sorted(request.propertyDependencies[name].urns))
                for name in sorted(request.propertyDependencies)
                if request.propertyDependencies[name].urns
            },
            custom=request.custom,
            protect=request.protect,  # the SDK has already applied inheritance
            retain=request.retainOnDelete if request.HasField("retainOnDelete") else bool(parent and parent.retain),
            provider=request.provider or _inherited_provider(request, parent),
            ignore_changes=tuple(request.ignoreChanges),
            replace_on_changes=tuple(request.replaceOnChanges),
            delete_before_replace=request.deleteBeforeReplace,
            deleted_with=request.deletedWith or (parent.deleted_with if parent else None),
            aliases=alias_urns(self._stack, self._project, request, parent),
            import_id=request.importId or None,
        )

    def _parent(self, request: Any) -> str | None:
        return request.parent if request.parent not in ("", self._stack_urn) else None

    def _answer(self, urn: str, request: Any) -> Any:
        """Return a resource's outputs: its inputs and, in an update, a stand-in for every computed output."""
        answer = Struct()
        if not self._preview:
            answer.CopyFrom(to_struct(standin_outputs(urn, request.type)))
        answer.MergeFrom(request.object) if self._preview else _overwrite(answer, request.object)
        for name in request.additionalSecretOutputs:
            secret = secret_value(answer.fields.get(name))
            answer.fields[name].CopyFrom(secret)
        return answer

    def _refuse_twin(self, urn: str, request: Any) -> None:
        if urn not in self._resources:
            return
        twin, place = self._resources[urn], self._place_of(self._traces[urn])
        raise ProgramError(
            f"two resources have the same URN, {urn}: {_described(twin.name, twin.parent, place)} and "
            f"{_described(request.name, self._parent(request), None)}; start each child's name with the name "
            "of its component",
            self._place_of(request.stackTrace),
        )


def _overwrite(answer: Any, values: Any) -> None:
    for name, value in values.fields.items():
        answer.fields[name].CopyFrom(value)


def _inherited_provider(request: Any, parent: RecordedResource | None) -> str | None:
    """Return the provider inherited from the parent, or None if the resource inherits none.

    Components inherit any provider. Other resources inherit only a provider for their own package.
    """
    if parent is None or parent.provider is None:
        return None
    package = parent.provider.split("::")[2].rpartition(":")[2]
    is_component = not request.remote and not request.custom
    return parent.provider if is_component or request.type.split(":")[0] == package else None


def _described(name: str, parent: str | None, place: str | None) -> str:
    below = f" below {parent.rpartition('::')[2]!r}" if parent else ""
    return f"{name!r}{below}" + (f" ({place})" if place else "")
