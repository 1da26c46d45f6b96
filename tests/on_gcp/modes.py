"""A program recorded as an update and as a preview; the graph must be the same."""

from collections.abc import Callable

from hpc_components.preview.inputs import check_inputs
from hpc_components.preview.record import Recording, record


def in_both_modes(program: Callable[[], object]) -> Recording:
    """The recording of the preview. That of the update agrees in everything but what only a cloud knows, children
    bear the names of their components, and the SDK's argument classes know every input.
    """
    update, preview = record(program, preview=False), record(program, preview=True)

    def shape(recording: Recording) -> list[tuple[object, ...]]:
        return [
            (
                each.urn,
                each.parent,
                each.protect,
                each.retain,
                each.deleted_with,
                each.depends_on,
                sorted(each.inputs),
            )
            for each in recording.resources
        ]

    assert shape(update) == shape(preview)
    for component in [each for each in preview.resources if not each.custom]:
        assert all(child.name.startswith(component.name) for child in preview.children(component))
    assert check_inputs(preview) == []
    return preview
