"""A program recorded as an update and as a preview; the graph must be the same."""

from collections.abc import Callable

from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import Recording, record


def in_both_modes(
    program: Callable[[], object], stem: Callable[[str], str] = lambda name: name
) -> tuple[Recording, Recording]:
    """The recordings of the update and of the preview, which agree in everything but what only a cloud knows.

    Children bear the names of their components, or what `stem` makes of them.
    """
    update, preview = record(program, preview=False), record(program, preview=True)
    assert _shape(update) == _shape(preview)
    for component in [each for each in preview.resources if not each.custom]:
        beginnings = (component.name, stem(component.name))
        assert all(child.name.startswith(beginnings) for child in preview.children(component))
    return update, preview


def checked_preview(program: Callable[[], object], stem: Callable[[str], str] = lambda name: name) -> Recording:
    """The recording of the preview; the update agrees with it, and the SDK's argument classes know its inputs."""
    _, preview = in_both_modes(program, stem)
    assert check_inputs(preview) == []
    return preview


def _shape(recording: Recording) -> list[tuple[object, ...]]:
    return [
        (each.urn, each.parent, each.protect, each.retain, each.deleted_with, each.depends_on, sorted(each.inputs))
        for each in recording.resources
    ]
