"""Implements the provider protocol, and behaves like the real provider in everything that affects the engine's
decisions.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import grpc
from pulumi.runtime.proto import plugin_pb2
from pulumi.runtime.proto import provider_pb2 as proto
from pulumi.runtime.proto.provider_pb2_grpc import ResourceProviderServicer

from hpc_components.preview.recorder.wire import Empty
from hpc_components.testing._deletion import delete, refusal
from hpc_components.testing._diff import Change, changes
from hpc_components.testing._invent import Birth, autoname, prefix_of
from hpc_components.testing._values import from_struct, has_unknowns, open_secrets, redact, to_struct
from hpc_components.testing.facts import TypeFacts, stand_in_of, type_facts
from hpc_components.testing.stand_in_cloud import JournalEntry, StandInCloud, Thing


@dataclass
class Provider(ResourceProviderServicer):
    """A stand-in provider for a Pulumi package. Its entire state is in `cloud`."""

    package: str
    version: str
    cloud: StandInCloud
    region: str = field(init=False)
    """Region for resources that don't specify one, taken from the provider's configuration."""

    def __post_init__(self) -> None:
        self._stand_in = stand_in_of(self.package)
        self.region = self._stand_in.default_region

    def Handshake(self, request: proto.ProviderHandshakeRequest, context: grpc.ServicerContext):  # noqa: N802
        return proto.ProviderHandshakeResponse(accept_secrets=True, accept_resources=True)

    def Attach(self, request: Any, context: grpc.ServicerContext):  # noqa: N802
        return Empty()

    def Cancel(self, request: Any, context: grpc.ServicerContext):  # noqa: N802
        return Empty()

    def GetPluginInfo(self, request: Any, context: grpc.ServicerContext):  # noqa: N802
        return plugin_pb2.PluginInfo(version=self.version)

    def GetSchema(self, request: Any, context: grpc.ServicerContext):  # noqa: N802
        return proto.GetSchemaResponse(schema=json.dumps({"name": self.package, "version": self.version}))

    def CheckConfig(self, request: proto.CheckRequest, context: grpc.ServicerContext):  # noqa: N802
        return proto.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: proto.DiffRequest, context: grpc.ServicerContext):  # noqa: N802
        return proto.DiffResponse(changes=proto.DiffResponse.DIFF_NONE)

    def Configure(self, request: proto.ConfigureRequest, context: grpc.ServicerContext):  # noqa: N802
        given = open_secrets(from_struct(request.args))
        self.region = given.get(self._stand_in.region_input, self.region)
        return proto.ConfigureResponse(acceptSecrets=True, supportsPreview=True, acceptResources=True)

    def Check(self, request: proto.CheckRequest, context: grpc.ServicerContext):  # noqa: N802
        inputs, olds = from_struct(request.news), from_struct(request.olds)
        facts = _facts(request)
        if (
            facts.autoname
            and facts.autoname.property not in inputs
            and prefix_of(facts.autoname.property) not in inputs
        ):
            key = facts.autoname.property
            fresh = autoname(facts.autoname, request.urn, self.cloud.births(request.urn))
            inputs[key] = olds.get(key, fresh) if key in olds.get("__defaults", []) else fresh
            inputs["__defaults"] = [key]
        return proto.CheckResponse(inputs=to_struct(inputs))

    def Diff(self, request: proto.DiffRequest, context: grpc.ServicerContext):  # noqa: N802
        olds, news = (open_secrets(from_struct(each)) for each in (request.old_inputs, request.news))
        facts = _facts(request)
        found = changes(
            olds,
            news,
            force_new=facts.replacing(news),
            grow_only=facts.grow_only,
            ignore=request.ignoreChanges,
        )
        named = facts.autoname is not None and facts.autoname.property not in news.get("__defaults", [])
        return _diff_response(found, delete_first=named or (facts.autoname is not None and facts.autoname.is_lasting))

    def Create(self, request: proto.CreateRequest, context: grpc.ServicerContext):  # noqa: N802
        inputs = from_struct(request.properties)
        birth = self._birth(request, inputs, revision=1)
        if request.preview:
            return proto.CreateResponse(id="", properties=to_struct(birth.unknown_outputs()))
        self._fail_if_ordered("Create", request, "", inputs, context)
        if has_unknowns(inputs):
            self._refuse(
                "Create", request, "", inputs, context, "an input is still unknown, although this is not a preview"
            )
        id_ = birth.id
        error = self._stand_in.happens(self.cloud, _type(request.urn), id_, inputs, action="create")
        if error:
            self._refuse("Create", request, "", inputs, context, error)
        outputs = birth.outputs(id_)
        self._made("Create", request.urn, id_, inputs)
        self.cloud.count_birth(request.urn)
        return proto.CreateResponse(id=id_, properties=to_struct(outputs))

    def Update(self, request: proto.UpdateRequest, context: grpc.ServicerContext):  # noqa: N802
        inputs, olds = from_struct(request.news), from_struct(request.olds)
        if not request.preview:
            self._fail_if_ordered("Update", request, request.id, inputs, context)
            self._made("Update", request.urn, request.id, inputs)
        now = self.cloud.find(_type(request.urn), request.id)
        birth = self._birth(request, inputs, revision=now.revision if now else 1)
        outputs = birth.renewed(olds, id_=request.id, preview=request.preview)
        return proto.UpdateResponse(properties=to_struct(outputs))

    def Read(self, request: proto.ReadRequest, context: grpc.ServicerContext):  # noqa: N802
        """Confirm the engine's state, unless a test has removed the resource from the stand-in cloud."""
        if self.cloud.find(_type(request.urn), request.id) is None and request.properties.fields:
            return proto.ReadResponse()
        return proto.ReadResponse(id=request.id, properties=request.properties, inputs=request.inputs)

    def Delete(self, request: proto.DeleteRequest, context: grpc.ServicerContext):  # noqa: N802
        inputs, type_ = from_struct(request.old_inputs), _type(request.urn)
        self._fail_if_ordered("Delete", request, request.id, inputs, context)
        error = refusal(self.cloud, type_, request.id, inputs)
        error = error or self._stand_in.happens(self.cloud, type_, request.id, inputs, action="delete")
        if error:
            self._refuse("Delete", request, request.id, inputs, context, error)
        delete(self.cloud, type_, request.id)
        self._write_down("Delete", request.urn, request.id, inputs)
        return Empty()

    def Invoke(self, request: proto.InvokeRequest, context: grpc.ServicerContext):  # noqa: N802
        results = {**self._stand_in.answers(self.region), **self._stand_in.lists(self.cloud)}
        if request.tok not in results:
            context.abort(
                grpc.StatusCode.UNIMPLEMENTED,
                f"the stand-in can't answer {request.tok}; supported functions: {', '.join(results)}",
            )
        response = proto.InvokeResponse()
        # getattr is needed because the field's name is a Python keyword.
        getattr(response, "return").CopyFrom(to_struct(results[request.tok]))
        return response

    def _birth(self, request: Any, inputs: Mapping[str, Any], *, revision: int) -> Birth:
        return Birth(
            urn=request.urn,
            generation=self.cloud.births(request.urn),
            revision=revision,
            region=inputs.get(self._stand_in.region_input, self.region),
            facts=_facts(request),
            inputs={key: value for key, value in inputs.items() if not key.startswith("__")},
        )

    def _made(self, method: str, urn: str, id_: str, inputs: Mapping[str, Any]) -> None:
        before = self.cloud.find(_type(urn), id_)
        revision = before.revision + 1 if before else 1
        self.cloud.put(Thing(id=id_, type=_type(urn), urn=urn, inputs=redact(inputs), revision=revision))
        self._write_down(method, urn, id_, inputs)

    def _write_down(
        self, method: str, urn: str, id_: str, inputs: Mapping[str, Any], error: str | None = None
    ) -> None:
        entry = JournalEntry(method=method, urn=urn, type=_type(urn), id=id_, inputs=redact(inputs), error=error)
        self.cloud.write_down(entry)

    def _fail_if_ordered(self, method: str, request: Any, id_: str, inputs: Mapping[str, Any], context: Any) -> None:
        fault = self.cloud.take_fault(_type(request.urn), method)
        if fault:
            self._refuse(method, request, id_, inputs, context, fault)

    def _refuse(
        self, method: str, request: Any, id_: str, inputs: Mapping[str, Any], context: Any, error: str
    ) -> NoReturn:
        self._write_down(method, request.urn, id_, inputs, error)
        context.abort(grpc.StatusCode.UNKNOWN, error)
        raise AssertionError("abort does not return")


def _diff_response(found: list[Change], *, delete_first: bool) -> proto.DiffResponse:
    """Return the response for these changes.

    If `delete_first` is set, a resource is deleted before its replacement is created, because both would have the
    same name.
    """
    kinds = proto.PropertyDiff.Kind
    detailed = {
        each.path: proto.PropertyDiff(
            kind=kinds.Value(f"{each.kind}_REPLACE" if each.replaces else each.kind), inputDiff=True
        )
        for each in found
    }
    replaces = sorted({each.property for each in found if each.replaces})
    return proto.DiffResponse(
        changes=proto.DiffResponse.DIFF_SOME if found else proto.DiffResponse.DIFF_NONE,
        diffs=sorted({each.property for each in found}),
        replaces=replaces,
        deleteBeforeReplace=bool(replaces) and delete_first,
        detailedDiff=detailed,
        hasDetailedDiff=True,
    )


def _type(urn: str) -> str:
    """Return the resource's own type, which comes after its parents' types in the URN."""
    return urn.split("::")[2].rpartition("$")[2]


def _facts(request: Any) -> TypeFacts:
    return type_facts(_type(request.urn))
