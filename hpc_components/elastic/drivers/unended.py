"""What `Machines.terminate` raises if the cloud has not accepted to end all machines of a call."""

from collections.abc import Mapping

from hpc_components.elastic.drivers.contract import LaunchError, RefusedError


def raise_unended(failures: Mapping[str, Exception], asked: int) -> None:
    """Raise one error for those of the `asked` machines that are not ending, by id; do nothing without failures.

    A LaunchError other than RefusedError would mean that nothing was done: it is raised only if that is true of all
    machines. A refusal that is not about machines, such as a missing permission, names none if it applies to all.
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
