import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import SECRET, UNKNOWN, RecordedResource, Recording, record
from hpc_components.testing.facts import stand_in_of
from hpc_components.testing.offenders import refuse, shown


def assert_same_graph(program: Callable[[], object] | Path, **arguments: Any) -> Recording:
    """Assert that the program registers the same resources in a preview and in an update, and return the preview.

    `arguments` are passed to `record`. Resources created inside `apply` fail this check because they are registered
    only in an update. A preview doesn't show them before they exist, and shows them as deleted afterwards. Parents,
    dependencies, protection, retention and input names must also be the same.
    """
    preview = record(program, **arguments, preview=True)
    update = record(program, **arguments, preview=False)
    refuse("the preview and the update differ", _differences(preview, update))
    return preview


def _differences(preview: Recording, update: Recording) -> Iterator[str]:
    seen = {each.urn: each for each in preview.resources}
    made = {each.urn: each for each in update.resources}
    for urn in sorted(seen.keys() | made.keys()):
        if urn not in seen:
            yield f"{shown(made[urn])} is registered only in an update: create it outside `apply`"
        elif urn not in made:
            yield f"{shown(seen[urn])} is registered only in a preview: create it in updates as well"
        else:
            yield from (
                f"{shown(seen[urn])} differs in {name}: {before} in the preview, {after} in the update"
                for name, before, after in zip(_TRAITS, _traits(seen[urn]), _traits(made[urn]), strict=True)
                if before != after
            )


_TRAITS = ("parent", "dependencies", "protection", "retention", "inputs")


def _traits(resource: RecordedResource) -> tuple[Any, ...]:
    return resource.parent, resource.depends_on, resource.protect, resource.retain, sorted(resource.inputs)


def assert_no_input_faults(recording: Recording) -> None:
    """Assert that the provider and the cloud would accept all inputs, as far as `check_inputs` can tell."""
    refuse("inputs that the cloud would refuse", map(str, check_inputs(recording)))


def assert_tagged(recording: Recording, key: str = "ClusterName", value: str | None = None) -> None:
    """Assert that every cloud resource that supports tags has this tag and, if `value` is specified, this value.

    A resource supports tags if its SDK class accepts them. Tags that are entirely unknown or secret pass. Specify key
    and value without encoding, e.g. `hpc:role`. They are encoded for each cloud before the comparison.
    """
    from hpc_components.preview.recorder.sdk_types import argument_class, properties

    clouds = {cloud.pulumi_package: cloud for cloud in map(cloud_named, CLOUDS)}

    def offends(resource: RecordedResource) -> bool:
        package = resource.type.partition(":")[0]
        arguments = argument_class(resource.type) if package in clouds else None
        cloud = stand_in_of(package)
        name = cloud.other_tags_inputs.get(resource.type, cloud.tags_input)
        if arguments is None or name not in properties(arguments):
            return False
        tags = _tags(resource.inputs.get(name, {}))
        if tags is None:
            return False
        ((written, wanted),) = clouds[package].parts.tags.encode({key: value or ""}).items()
        return written not in tags or (value is not None and tags[written] != wanted)

    wanted = key if value is None else f"{key}={value}"
    refuse(f"resources without the tag {wanted}", (shown(each) for each in recording.resources if offends(each)))


def _tags(tags: Any) -> dict[str, Any] | None:
    """Return tags as a mapping, even if they are a list of keys and values, or None if they are unknown or secret."""
    if tags in (UNKNOWN, SECRET):
        return None
    return {tag.get("key"): tag.get("value") for tag in tags} if isinstance(tags, list) else tags


def assert_parented(recording: Recording) -> None:
    """Assert that every resource, except explicit providers, belongs to a component."""
    components = {each.urn for each in recording.resources if not each.custom}
    loose = (
        each
        for each in recording.resources
        if each.custom and not each.type.startswith("pulumi:providers:") and each.parent not in components
    )
    refuse("resources that don't belong to a component; pass `parent=self`", map(shown, loose))


def assert_named_after_parents(recording: Recording) -> None:
    """Assert that each child's name begins with its parent's name, so that the children of two components of the same
    type don't collide."""
    names = {each.urn: each.name for each in recording.resources}
    strangers = (
        f"{shown(each)}: begin the name with `{names[each.parent]}-`"
        for each in recording.resources
        if each.parent in names and not re.match(rf"{re.escape(names[each.parent])}(?![A-Za-z0-9])", each.name)
    )
    refuse("children that are not named after their parents", strangers)


def assert_protected(recording: Recording, *types: str) -> None:
    """Assert that all resources of these types are protected, and that they are retained in the cloud when they are
    removed from the stack.
    """
    bare = (
        f"{shown(each)} is not {' and not '.join(lacking)}"
        for type in types
        for each in recording.all(type)
        if (lacking := [word for word, has in (("protected", each.protect), ("retained", each.retain)) if not has])
    )
    refuse("data that `pulumi destroy` could delete", bare)
