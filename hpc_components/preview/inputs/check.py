from collections.abc import Iterable, Iterator

from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.inputs.input_facts import InputFacts
from hpc_components.preview.inputs.input_fault import InputFault, PropertyFault
from hpc_components.preview.inputs.schema_check import schema_faults
from hpc_components.preview.inputs.value_rules import paths_with_rules, value_rule_faults
from hpc_components.preview.recorder.sdk_types import argument_class
from hpc_components.preview.recording import RecordedResource, Recording


def check_inputs(recording: Recording) -> list[InputFault]:
    """Return a fault for every input that the provider or the cloud would refuse, in resource order.

    Each resource is checked against the SDK's argument classes (names, required properties, types, documented lists
    and ranges) and against its cloud's `InputFacts`. Its inputs are also compared with one another and with those of
    other resources. Unknown and secret values always pass.
    """
    return [fault for resource in recording.resources for fault in _faults(resource, recording)]


def _faults(resource: RecordedResource, recording: Recording) -> Iterator[InputFault]:
    if not resource.custom or resource.type.startswith("pulumi:"):
        return
    seen: set[str] = set()
    for each in _property_faults(resource, recording):
        if each.path in seen:
            continue
        seen.add(each.path)
        yield InputFault(
            kind=each.kind,
            urn=resource.urn,
            type=resource.type,
            name=resource.name,
            path=each.path,
            value=each.value,
            reason=each.reason,
            remedy=each.remedy,
        )


def _property_faults(resource: RecordedResource, recording: Recording) -> Iterable[PropertyFault]:
    facts = reader_of_type(resource.type).inputs()
    arguments = argument_class(resource.type)
    if arguments is not None:
        known = paths_with_rules(facts, resource.type)
        yield from schema_faults(arguments, resource.inputs, facts, known)
    yield from value_rule_faults(facts, resource.type, resource.inputs)
    yield from _related(facts, resource)
    for check in facts.between.get(resource.type, ()):
        yield from check(resource, recording)


def _related(facts: InputFacts, resource: RecordedResource) -> Iterator[PropertyFault]:
    for check in (*facts.everywhere, *facts.relations.get(resource.type, ())):
        yield from check(resource.inputs)
