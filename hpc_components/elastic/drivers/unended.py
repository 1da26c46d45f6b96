from collections.abc import Mapping

from hpc_components.elastic.drivers.contract import LaunchError, RefusedError


def raise_unended(failures: Mapping[str, Exception], asked: int) -> None:
    """Raise one error that sums up `failures`, which maps machine ids to errors. Do nothing if `failures` is empty.

    `asked` is the number of machines in the call. A LaunchError other than RefusedError means that nothing was done,
    so it is raised only if that is true of all machines. If all machines were refused for the same general reason,
    such as a missing permission, the error names no machines.
    """
    if not failures:
        return
    refused = {id: error for id, error in failures.items() if isinstance(error, RefusedError)}
    words = "; ".join(dict.fromkeys(str(error) for error in (refused or failures).values()))
    if refused:
        of_all = len(refused) == asked and not any(error.kept for error in refused.values())
        raise RefusedError(words, () if of_all else refused, [id for id in failures if id not in refused])
    first = next(iter(failures.values()))
    if len(failures) == asked and all(isinstance(error, LaunchError) for error in failures.values()):
        raise first
    if len(failures) < asked:
        words = f"{len(failures)} of {asked} machines are not being deleted yet: {words}"
    raise OSError(words) from first
