"""Whether components were given one cloud identity for nodes that must not share it."""

from collections.abc import Iterable

from pulumi import Input

__all__ = ["check_not_shared"]


def check_not_shared(path: str, own: Input[str] | None, others: Iterable[Input[str] | None]) -> None:
    """ValueError where the identity `own` is also among `others`, those of nodes on which jobs or people are.

    Plain text is compared without case, as clouds do, and by its last part, so that an ARN is found by its name. Two
    outputs are the same only if they are one object: their values are not known yet.
    """
    for other in others if own is not None else ():
        both_text = isinstance(own, str) and isinstance(other, str)
        if own is other or (both_text and _last_part(own) == _last_part(other)):
            raise ValueError(
                f"{path}: {own if isinstance(own, str) else 'this identity'} is that of other nodes too, so jobs or"
                " people there could do what it may; give each kind of node its own"
            )


def _last_part(identity: str) -> str:
    return identity.rpartition("/")[2].lower()
