"""Implements an in-process resource monitor and engine that record what a program registers."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pulumi.runtime.proto import engine_pb2, resource_pb2

from hpc_components.preview.recorder.aliases import alias_urns, make_urn
from hpc_components.preview.recorder.standins import standin_id, standin_outputs
from hpc_components.preview.recorder.wire import Empty, Struct, WireReader, secret_value, to_struct
from hpc_components.preview.recording import ProgramError, RecordedResource, Recording, SaidLine
from hpc_components.preview.resources import UNKNOWN

InvokeAnswer = Mapping[str, Any] | Callable[[dict[str, Any]], Mapping[str, Any]]
"""Result of a call such as `aws:ec2/getAmi:getAmi`, or a function that returns it for given arguments. Both use wire
names."""

_STACK = "pulumi:pulumi:Stack"
_PROVIDERS = "pulumi:providers:"
_GET_RESOURCE = "pulumi:pulumi:getResource"
"""Token of the call with which the SDK turns a URN in the inputs back into a resource."""

_SEVERITIES = {engine_pb2.INFO: "info", engine_pb2.WARNING: "warning", engine_pb2.ERROR: "error"}

# Output values are left out so that the SDK marks secrets in place. Invoke gating is left out so that the SDK does it
# itself.
_FEATURES = [
    resource_pb2.ResourceMonitorFeature.Value(f"RESOURCE_MONITOR_FEATURE_{name}")
    for name in (
        *("SECRETS", "RESOURCE_REFERENCES", "ALIAS_SPECS", "DELETED_WITH", "REPLACE_WITH", "REPLACEMENT_TRIGGER"),
        *("TRANSFORMS", "INVOKE_TRANSFORMS", "PARAMETERIZATION", "RESOURCE_HOOKS", "ERROR_HOOKS"),
    )
]

_TRANSFORMS_ARE_THE_ENGINES = (
    "transforms run in the Pulumi engine, which a plan without a cloud does not have; use `transformations`, which "
    "run in the program"
)


class RecordingEngine:
    """The engine service, which stores the program's messages of severity `info` and above."""

    def __init__(self) -> None:
        self.logs: list[engine_pb2.LogRequest] = []

    def Log(self, request: engine_pb2.LogRequest) -> Any:
        """Record a message from the program."""
        if request.severity in _SEVERITIES:
            self.logs.append(request)
        return Empty()

    def RequirePulumiVersion(self, _request: object) -> Any:
        """Accept any version, because no engine is running."""
        return Empty()


class RecordingMonitor:
    """The resource monitor that the SDK talks to. Method names are those of the gRPC service ResourceMonitor."""

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
        """Return everything that has been registered so far."""
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
        """Return `text` with the program's secrets removed."""
        return self._wire.without_secrets(text)

    def RegisterResource(self, request: Any) -> resource_pb2.RegisterResourceResponse:
        """Record a resource, and respond as the cloud would."""
        urn = make_urn(self._stack, self._project, request.parent, request.type, request.name)
        if request.type == _STACK:
            self._stack_urn = urn
            return resource_pb2.RegisterResourceResponse(urn=urn)
        if request.transforms:
            raise ProgramError(_TRANSFORMS_ARE_THE_ENGINES, self._place_of(request.stackTrace))
        self._refuse_twin(urn, request)
        self._resources[urn] = self._recorded(urn, request)
        self._traces[urn] = request.stackTrace
        if not request.custom:  # the real engine has no outputs of a component at this point either
            return resource_pb2.RegisterResourceResponse(urn=urn)
        id = "" if self._preview else standin_id(urn)
        self._answers[urn] = resource_pb2.RegisterResourceResponse(urn=urn, id=id, object=self._answer(urn, request))
        return self._answers[urn]

    def ReadResource(self, request: Any) -> resource_pb2.ReadResourceResponse:
        """Record an existing cloud object. Even in an update, only the inputs that the program specifies are
        known."""
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
        """Record the stack's outputs, i.e. its exports. Components' outputs are kept by the program itself."""
        if request.urn == self._stack_urn:
            self._outputs = self._wire.struct(request.outputs)
        return Empty()

    def Invoke(self, request: Any) -> resource_pb2.ResourceInvokeResponse:
        """Respond to a call to the cloud with the given result. Raise ProgramError if none was given."""
        response = resource_pb2.ResourceInvokeResponse()
        result = getattr(response, "return")
        if request.tok == _GET_RESOURCE:
            known = self._answers.get(request.args["urn"]) or resource_pb2.RegisterResourceResponse()
            result.update({"urn": request.args["urn"], "id": known.id})
            result.fields["state"].struct_value.CopyFrom(known.object)
            return response
        if request.tok not in self._invokes:
            raise ProgramError(f"a plan without a cloud can't call {request.tok}; pass the value as config")
        answer = self._invokes[request.tok]
        values: Any = answer(self._wire.struct(request.args)) if callable(answer) else answer
        result.CopyFrom(to_struct(values))
        return response

    def Call(self, request: Any) -> Any:
        """Refuse to call a resource's method, because only the cloud could respond."""
        raise ProgramError(f"a plan without a cloud can't call {request.tok}", self._place_of(request.stackTrace))

    def RegisterStackTransform(self, _request: object) -> None:
        """Refuse transforms, because a recording that ignored them would show a different stack."""
        raise ProgramError(_TRANSFORMS_ARE_THE_ENGINES)

    RegisterStackInvokeTransform = RegisterStackTransform

    def RegisterResourceHook(self, _request: object) -> Any:
        """Accept but ignore hooks, because they run only around real operations."""
        return Empty()

    RegisterErrorHook = RegisterResourceHook
    SignalAndWaitForShutdown = RegisterResourceHook

    def RegisterPackage(self, request: Any) -> resource_pb2.RegisterPackageResponse:
        """Accept any package."""
        return resource_pb2.RegisterPackageResponse(ref=request.name)

    def GetDeploymentInfo(self, _request: object) -> resource_pb2.DeploymentInfo:
        """Return the protocol features that this monitor supports."""
        return resource_pb2.DeploymentInfo(supportedFeatures=_FEATURES)

    def _recorded(self, urn: str, request: Any) -> RecordedResource:
        parent = self._resources.get(request.parent)
        inputs = self._wire.struct(request.object)
        if request.type.startswith(_PROVIDERS) and request.version:
            inputs["version"] = request.version  # the engine also adds the requested plugin version
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
            protect=request.protect,  # the SDK has already resolved inheritance
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
        """Return a resource's outputs, which are its inputs and, in an update, stand-ins for all computed outputs."""
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
            f"{_described(request.name, self._parent(request), None)}; begin the names of children with the name of "
            "their component",
            self._place_of(request.stackTrace),
        )


def _overwrite(answer: Any, values: Any) -> None:
    for name, value in values.fields.items():
        answer.fields[name].CopyFrom(value)


def _inherited_provider(request: Any, parent: RecordedResource | None) -> str | None:
    """Return the provider that a resource inherits from its parent, or None if it inherits none.

    Components inherit any provider, and other resources only providers for their own package.
    """
    if parent is None or parent.provider is None:
        return None
    package = parent.provider.split("::")[2].rpartition(":")[2]
    is_component = not request.remote and not request.custom
    return parent.provider if is_component or request.type.split(":")[0] == package else None


def _described(name: str, parent: str | None, place: str | None) -> str:
    below = f" below {parent.rpartition('::')[2]!r}" if parent else ""
    return f"{name!r}{below}" + (f" ({place})" if place else "")
