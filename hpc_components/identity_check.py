from collections.abc import Iterable

from pulumi import Input


def check_not_shared(path: str, own: Input[str] | None, others: Iterable[Input[str] | None]) -> None:
    """Raise ValueError if `own` is one of `others`, the identities of nodes that run jobs or that users log in to.

    Only the last part of each string is compared, so that an ARN matches the plain name. Case is ignored, because
    clouds ignore it. Outputs are considered equal only if they are the same object, because their values are not
    known yet.
    """
    for other in others if own is not None else ():
        both_text = isinstance(own, str) and isinstance(other, str)
        if own is other or (both_text and _last_part(own) == _last_part(other)):
            raise ValueError(
                f"{path}: {own if isinstance(own, str) else 'this identity'} is also used by other nodes, so "
                "users and jobs on those nodes would have its permissions; give each kind of node its own "
                "identity"
            )


def _last_part(identity: str) -> str:
    return identity.rpartition("/")[2].lower()
