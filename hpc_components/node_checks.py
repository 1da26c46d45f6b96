"""Cloud-independent checks on node arguments. A failed check raises a ValueError that gives the path."""

from collections.abc import Iterator, Sequence

from hpc_components.catalog import close_names, is_known_type
from hpc_components.wording import any_of


def check_machine(path: str, machine: str, *, cloud: str, noun: str, listed: str) -> None:
    """Refuse a machine type that is not in `cloud`'s catalogue.

    `noun` is what the cloud calls a machine type, with an article. `listed` is where the cloud lists its machine
    types.
    """
    if not is_known_type(cloud, machine):
        near = ", ".join(close_names(cloud, machine))
        hint = f"did you mean {near}?" if near else f"see {listed}"
        raise ValueError(f"{path}: {machine!r} is not {noun}; {hint}")


def check_user_data(path: str, text: str, *, most: int, service: str) -> None:
    """Refuse user data that is larger than `most` bytes, the maximum that `service` accepts."""
    if (size := len(text.encode())) > most:
        raise ValueError(f"{path}: {size} bytes; {service} takes {most} at most. Put the rest in the config bucket")


def distinct(path: str, values: Sequence[str], example: str) -> Iterator[tuple[str, str]]:
    """Yield (path, value) for each value. Refuse duplicates and an empty list, for which `example` is the remedy."""
    if not values:
        raise ValueError(f"{path}: it is empty; give at least {example}")
    for index, value in enumerate(values):
        if value in values[:index]:
            raise ValueError(f"{path}[{index}]: {value!r} appears twice; remove one")
        yield f"{path}[{index}]", value


def check_purchase_kind(path: str, purchase: str, known: Sequence[str], *, key: str, reserved: bool) -> None:
    """Refuse an unknown purchase option. Also refuse a reservation (the argument `key`) unless the purchase option is
    `reservation`, and vice versa."""
    if purchase not in known:
        raise ValueError(f"{path}.purchase: {purchase!r} is unknown; use {any_of(known)}")
    if (purchase == "reservation") != reserved:
        raise ValueError(f"{path}.{key}: give it with reservation, and with nothing else")
