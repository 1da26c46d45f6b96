"""Writes the description's own scripts for the boot of nodes, and for the machine where an image is made."""

from collections.abc import Iterator, Mapping

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.scripts import Script, at_boot, in_image


def script_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the files of scripts that run at boot, as a mapping from path in the config bucket to text.

    `<role>/scripts.list` has a line for each group of nodes and script: the group (`head`, `login` or a queue's
    name), the script's name, its time limit in seconds, its address and its checksum. Without an address, these two
    are `-`, and the text is in `<role>/scripts/<name>`.
    """
    files: dict[str, str] = {}
    groups = {"head": ["head"], "login": ["login"] if cluster.login_nodes else []}
    for role, names in (groups | {"compute": [queue.name for queue in cluster.queues]}).items():
        files |= _files(role, {group: at_boot(cluster.scripts, group) for group in names})
    return files


def image_script_files(cluster: ClusterSpec, recipe: str) -> dict[str, str]:
    """Return the files of scripts that run where the image of `recipe` is made, as `script_files` does for boots."""
    return _files("image", {recipe: in_image(cluster.scripts, recipe)})


def _files(role: str, scripts: Mapping[str, Mapping[str, Script]]) -> dict[str, str]:
    """Return the files of these scripts, which are keyed by group and name."""
    lines = [f"{group} {line}\n" for group, named in scripts.items() for line in _lines(named)]
    texts = {f"{role}/scripts/{name}": one.text for named in scripts.values() for name, one in named.items()}
    listed = {f"{role}/scripts.list": "".join(lines)} if lines else {}
    return listed | {path: text for path, text in texts.items() if text is not None}


def _lines(scripts: Mapping[str, Script]) -> Iterator[str]:
    for name, script in scripts.items():
        yield f"{name} {script.time_limit.seconds} {script.address or '-'} {script.sha256 or '-'}"
