from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType

from hpc_components.catalog.image_builds import image_build
from hpc_components.report.text import heading, indented, literal, plain_text
from hpc_components.review.images import ImageChange, ImageInput


def images_text(stack: str, changes: Sequence[ImageChange], sides: tuple[str, str], width: int) -> str:
    """Render what differs between the images of two sides, such as `main` and `working tree`."""
    return plain_text(Group(*_lines(stack, changes, sides)), width)


def _lines(stack: str, changes: Sequence[ImageChange], sides: tuple[str, str]) -> Iterator[RenderableType]:
    between = f"{sides[0]} → {sides[1]}"
    if not changes:
        yield literal(f"{stack}: the stack makes no images ({between})")
        return
    made = [change.recipe for change in changes if change.is_made]
    yield literal(f"{stack}: {_summary(made)} ({between})")
    for change in changes:
        yield heading(_title(change))
        yield from map(indented, _details(change))


def _summary(made: Sequence[str]) -> str:
    return f"`pulumi up` makes {', '.join(made)}" if made else "`pulumi up` makes no image"


def _title(change: ImageChange) -> str:
    before, after = change.before, change.after
    if after is None:
        assert before, "one of the sides has the recipe"
        return f"{change.recipe}: no longer made, was {before.version}"
    if before is None:
        return f"{change.recipe}: new, {after.version}"
    if before.version == after.version:
        return f"{change.recipe}: stays {after.version}"
    return f"{change.recipe}: {before.version} → {after.version}"


def _details(change: ImageChange) -> Iterator[str]:
    yield from map(_input_words, change.inputs)
    before, after = (image.nodes if image else () for image in (change.before, change.after))
    if change.before and change.after and before != after:
        yield f"nodes: {', '.join(before) or 'none'} → {', '.join(after) or 'none'}"
    if change.is_made:
        yield f"`pulumi up` makes and tests it first: {image_build().time_words}"
    if change.replaces_head:
        yield "head_node: replaced by one of this image; jobs go on, sessions on it end"
    if change.new_nodes:
        yield f"{', '.join(change.new_nodes)}: new nodes boot from it; running ones stay as they are"


def _input_words(each: ImageInput) -> str:
    if each.files:
        return f"{each.name}: {', '.join(each.files)}"
    return f"{each.name}: {each.before} → {each.after}"
