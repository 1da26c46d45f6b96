"""A cluster with real Slurm and real sshds, and a laptop beside it: programs of this machine in its network."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elastic.lab import Cluster, Host, wait

from tests.cli.preloaded import HPC

SUDO = """\
#!/bin/sh
test "$1" = -n || { echo "sudo: asks for a password" >&2; exit 1; }
test -e /etc/no-sudo && { echo "sudo: a password is required" >&2; exit 1; }
shift
command -v "$1" >/dev/null || { echo "sudo: $1: command not found" >&2; exit 1; }
exec "$@"
"""

JOURNALCTL = """\
#!/bin/sh
echo 2026-11-29T03:00:00+0000 head hpc-elastic[7]: launched q-1
case "$*" in *--follow*) exec sleep 1000;; esac
"""
"""The lab has no systemd."""

EMULATED = """\
#!{python}
# Stands in for the command line of a cloud: refuses other arguments, and forwards to the head node's sshd.
import os, socket, sys, threading
given, wanted = sys.argv[1:], {wanted!r}
port = None
if "--port" in given:
    port = int(given[given.index("--port") + 1])
    given[given.index("--port") + 1] = "PORT"
if given != wanted:
    sys.exit(f"unrecognized arguments: {{given}}")
far = socket.create_connection(({head!r}, 22))
near_in, near_out = 0, 1
if port is not None:
    print("Opening tunnel on port:", port)
    server = socket.create_server(("127.0.0.1", port))
    near = server.accept()[0]
    near_in = near_out = near.fileno()
def forward(read, write):
    while data := read(65536):
        while data:
            data = data[write(data):]
threading.Thread(target=forward, args=(lambda n: os.read(near_in, n), far.send), daemon=True).start()
forward(far.recv, lambda data: os.write(near_out, data))
"""


class Laptop:
    """`hpc` on this machine, in the network of a process of a lab."""

    def __init__(self, process: int | str, folder: Path) -> None:
        self._net = ["nsenter", "-t", str(process), "-n"]
        self.folder, self.programs = folder, folder / "bin"
        self.programs.mkdir(parents=True)
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key"], check=True)
        (folder / "config").write_text(
            f"Host *\n  IdentityFile {folder}/key\n  IdentitiesOnly yes\n  StrictHostKeyChecking accept-new\n"
            f"  UserKnownHostsFile {folder}/known_hosts\n  LogLevel ERROR\n"
        )
        for name in ("ssh", "scp"):  # whoever has a file ~/.ssh/config has this one
            self.install(name, f'#!/bin/sh\nexec /usr/bin/{name} -F {folder}/config "$@"\n')

    @property
    def public_key(self) -> str:
        return (self.folder / "key.pub").read_text()

    def install(self, name: str, text: str) -> None:
        """Put a program on the laptop's PATH."""
        (self.programs / name).write_text(text)
        (self.programs / name).chmod(0o755)

    def install_tunnel(self, name: str, *wanted: str, head: str = "10.77.0.2") -> None:
        """Put a cloud's command line on PATH, which accepts these arguments alone; PORT stands for any port."""
        self.install(name, EMULATED.format(python=sys.executable, wanted=list(wanted), head=head))

    def give_outputs(self, outputs: Mapping[str, Any]) -> None:
        """Let `pulumi` know a stack `lab` with these outputs."""
        (self.folder / "outputs.json").write_text(json.dumps(outputs))
        files = {"output --json": "outputs.json", "history --json": "history.json", "export": "state.json"}
        cases = "".join(
            f"  {shlex.quote(f'stack {verb} --stack=lab')}) cat {self.folder}/{file} ;;\n"
            for verb, file in files.items()
        )
        self.install(
            "pulumi", f'#!/bin/sh\ncase "$*" in\n{cases}  *) echo "error: no stack" >&2; exit 255 ;;\nesac\n'
        )

    def running(self, name: str) -> str:
        """Ids of the processes of a program of this laptop."""
        found = subprocess.run(
            ["pgrep", "-f", str(self.programs / name)], capture_output=True, text=True, check=False
        )
        return found.stdout

    def command(self, *arguments: str) -> tuple[list[str], dict[str, str]]:
        """The command line of `hpc` with these arguments, and its environment."""
        path = f"{self.programs}:{Path(HPC).parent}:/usr/bin:/bin"
        keep = {key: value for key, value in os.environ.items() if key not in ("TERM", "NO_COLOR", "FORCE_COLOR")}
        return [*self._net, str(HPC), *arguments], keep | {"PATH": path, "COLUMNS": "100"}

    def hpc(self, *arguments: str, stdin: str = "", seconds: int = 120) -> subprocess.CompletedProcess[str]:
        """Run `hpc`. It is killed, and the test fails, if it takes longer than `seconds`."""
        line, environment = self.command(*arguments)
        return subprocess.run(
            line,
            env=environment,
            cwd=self.folder,
            input=stdin,
            text=True,
            capture_output=True,
            timeout=seconds,
            check=False,
        )

    def out(self, *arguments: str, stdin: str = "") -> str:
        """What `hpc` writes that ends well."""
        done = self.hpc(*arguments, stdin=stdin)
        assert done.returncode == 0, done
        return done.stdout


def start_sshd(host: Host, *keys: str) -> None:
    """Let root log in with these public keys, without a question of sudo."""
    host.write("/root/.ssh/authorized_keys", "".join(keys), mode="600")
    host.write("/usr/local/bin/sudo", SUDO, mode="755")
    host.write("/usr/local/bin/journalctl", JOURNALCTL, mode="755")
    host.write(
        "/etc/lab_sshd",
        "UsePAM no\nSubsystem sftp internal-sftp\nStrictModes no\nPermitRootLogin yes\nPrintMotd no\n"
        "PidFile /run/lab_sshd\n",
    )
    host.run("sh", "-c", "mkdir -p /run/sshd; rm -f /etc/ssh/ssh_host_*_key*; ssh-keygen -q -A; chown root /root")
    host.spawn("/usr/sbin/sshd", "-D", "-e", "-f", "/etc/lab_sshd")
    wait(lambda: host.run("cat", "/run/lab_sshd", check=False))


def let_head_reach(cluster: Cluster, name: str, address: str) -> str:
    """Let root on the head node log in to a node by its name. Return the public key that the node has to accept."""
    cluster.head.run("sh", "-c", "test -e /root/.ssh/hop || ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/hop")
    cluster.head.write(
        "/root/.ssh/config", "Host *\n  IdentityFile /root/.ssh/hop\n  StrictHostKeyChecking accept-new\n", mode="600"
    )
    cluster.head.run("sh", "-c", f"echo {address} {name} >>/etc/hosts")
    return cluster.head.run("cat", "/root/.ssh/hop.pub")
