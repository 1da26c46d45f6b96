"""Writes the description's own scripts for the boot of nodes."""

from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.scripts import at_boot


def script_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the files of scripts that run at boot, as a mapping from path in the config bucket to text.

    `<role>/scripts.list` has a line for each group of nodes and script: the group (`head`, `login` or a queue's
    name), the script's name, its time limit in seconds, its address and its checksum. Without an address, these two
    are `-`, and the text is in `<role>/scripts/<name>`.
    """
    files: dict[str, str] = {}
    groups = {"head": ["head"], "login": ["login"] if cluster.login_nodes else []}
    for role, names in (groups | {"compute": [queue.name for queue in cluster.queues]}).items():
        lines = [f"{group} {line}\n" for group in names for line in _lines(cluster, group)]
        if lines:
            files[f"{role}/scripts.list"] = "".join(lines)
        for group in names:
            texts = {name: script.text for name, script in at_boot(cluster.scripts, group).items()}
            files |= {f"{role}/scripts/{name}": text for name, text in texts.items() if text is not None}
    return files


def _lines(cluster: ClusterSpec, group: str) -> Iterator[str]:
    for name, script in at_boot(cluster.scripts, group).items():
        yield f"{name} {script.time_limit.seconds} {script.address or '-'} {script.sha256 or '-'}"
