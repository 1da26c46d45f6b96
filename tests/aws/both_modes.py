"""A program recorded as an update and as a preview; the graph must be the same."""

from collections.abc import Callable

from hpc_components.preview.record import Recording, record


def in_both_modes(program: Callable[[], object]) -> tuple[Recording, Recording]:
    """The recordings of the update and of the preview, which agree in everything but what only a cloud knows."""
    update, preview = record(program, preview=False), record(program, preview=True)

    def shape(recording: Recording) -> list[tuple[object, ...]]:
        return [
            (each.urn, each.parent, each.protect, each.retain, each.deleted_with, sorted(each.inputs))
            for each in recording.resources
        ]

    assert shape(update) == shape(preview)
    for component in [each for each in update.resources if not each.custom]:
        assert all(child.name.startswith(component.name) for child in update.children(component))
    return update, preview
