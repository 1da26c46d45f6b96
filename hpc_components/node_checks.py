"""Cloud-independent checks for node arguments. A failed check raises a ValueError that states the argument's path."""

from collections.abc import Iterator, Sequence

from hpc_components.catalog import close_names, is_known_type
from hpc_components.wording import any_of


def check_machine(path: str, machine: str, *, cloud: str, noun: str, listed: str) -> None:
    """Refuse a machine type that is not in `cloud`'s catalogue.

    `noun` is the cloud's term for a machine type, with an article, and `listed` is where the cloud lists its machine
    types.
    """
    if not is_known_type(cloud, machine):
        near = ", ".join(close_names(cloud, machine))
        hint = f"did you mean {near}?" if near else f"see {listed}"
        raise ValueError(f"{path}: {machine!r} is not {noun}; {hint}")


def check_user_data(path: str, text: str, *, most: int, service: str) -> None:
    if (size := len(text.encode())) > most:
        raise ValueError(
            f"{path}: user data has {size} bytes, but {service} accepts at most {most}; move part of the data to "
            "the config bucket"
        )


def distinct(path: str, values: Sequence[str], example: str) -> Iterator[tuple[str, str]]:
    """Yield (path, value) for each value. Refuse duplicates and an empty list.

    `example` completes the error message for an empty list ("specify at least ..."), e.g. `one zone`.
    """
    if not values:
        raise ValueError(f"{path} is empty; specify at least {example}")
    for index, value in enumerate(values):
        if value in values[:index]:
            raise ValueError(f"{path}[{index}]: {value!r} appears twice; remove one")
        yield f"{path}[{index}]", value


def check_purchase_kind(path: str, purchase: str, known: Sequence[str], *, key: str, reserved: bool) -> None:
    """Refuse an unknown purchase option, and a mismatch between the purchase option and the reservation.

    `key` is the name of the argument that specifies the reservation, and `reserved` is whether that argument is set.
    It must be set if and only if the purchase option is `reservation`.
    """
    if purchase not in known:
        raise ValueError(f"{path}.purchase: {purchase!r} is unknown; use {any_of(known)}")
    if (purchase == "reservation") != reserved:
        raise ValueError(f"{path}.{key}: set this argument if the purchase option is reservation, and only then")
