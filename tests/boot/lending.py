"""A node that lends access to buckets, in a sandbox, where all share one network: its service has its own port."""

import socket
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from .sandbox import Sandbox

_SYSTEMCTL = """
case $1 in
  restart)
    echo "$2" >>/running
    set -a; source /etc/hpc/data.env; set +a
    python3 -I /opt/hpc/bin/hpc-data >>/lent.log 2>&1 &
    ;;
  show) if grep -qxs "${!#}" /running; then printf 'active\\nyes\\n'; else printf 'inactive\\nyes\\n'; fi ;;
esac
"""
"""For one unit."""


def lending_node(
    make: Callable[..., Sandbox], boot: ModuleType, buckets: str, role: str = "compute"
) -> tuple[Sandbox, int]:
    """A node with the scripts of a cloud's part `boot`, and the port on which it will lend."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    scripts = Path(str(boot.__file__)).parent / "scripts/common"
    texts = {name: (scripts / name).read_text().replace("170", str(port)) for name in ("data.py", "lend.sh")}
    box = make(role, **{f"common/{name}": text for name, text in texts.items()}, **{"common/buckets": buckets})
    box.fake("systemctl", _SYSTEMCTL)
    box.fake("sleep", "read -rt 0.02 <> <(:) || true")
    box.write("etc/environment", "BASH_ENV=/etc/hpc/bash_env\nPATH=/usr/bin\n")
    return box, port
