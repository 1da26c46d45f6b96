"""Raises the error of `Machines.terminate` if the cloud has not accepted the termination of all machines in a
call."""

from collections.abc import Mapping

from hpc_components.elastic.drivers.contract import LaunchError, RefusedError


def raise_unended(failures: Mapping[str, Exception], asked: int) -> None:
    """Raise one error for those of the `asked` machines that are not ending. Do nothing if there are no failures.

    `failures` maps machine ids to errors. A LaunchError other than RefusedError would mean that nothing was done, so
    it is raised only if that is true of all machines. A refusal that is not about machines, such as a missing
    permission, does not name any if it applies to all.
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
