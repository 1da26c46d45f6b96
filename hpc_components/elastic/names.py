from collections.abc import Iterable, Iterator, Sequence


def node_name(queue: str, number: int) -> str:
    """Return the node name: `compute-queue`, 7 -> `compute-queue-7`. Numbers start at 1."""
    return f"{queue}-{number}"


def queue_of(node: str) -> str:
    return node.rpartition("-")[0]


def number_of(node: str) -> int:
    """Return the node's number: `compute-queue-7` -> 7. Raise ValueError if `node` is not a node name."""
    return int(node.rpartition("-")[2])


def tag_of(nodes: Sequence[str]) -> str:
    """Encode the numbers of a queue's nodes, in order: `q-1`, `q-2`, `q-3`, `q-9`, `q-5` -> `1-3.9.5`."""
    return ".".join(f"{first}-{last}" if last > first else str(first) for first, last in _runs(map(number_of, nodes)))


def nodes_of(queue: str, tag: str) -> tuple[str, ...]:
    """Decode a tag written by `tag_of`. Raise ValueError if the tag is malformed."""
    nodes: list[str] = []
    for run in tag.split("."):
        first, dash, last = run.partition("-")
        nodes += [node_name(queue, number) for number in range(int(first), int(last if dash else first) + 1)]
    return tuple(nodes)


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    first = last = None
    for number in numbers:
        if last is not None and number == last + 1:
            last = number
            continue
        if first is not None and last is not None:
            yield first, last
        first = last = number
    if first is not None and last is not None:
        yield first, last
