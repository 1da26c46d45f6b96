"""Runs a separate Linux kernel as a process (User-mode Linux), which has all controllers of cgroup v2.

This machine's kernel may have given its controllers to cgroup v1, which Slurm's tests need. Then containers
have none.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

_BOOT = """
set -eu
mount -t overlay overlay -o "lowerdir=$LOWER,upperdir=$AT/upper,workdir=$AT/work" "$AT/root"
units=$AT/root/etc/systemd/system
for unit in $MASKED; do ln -sf /dev/null "$units/$unit"; done
cat >"$units/lab.target" <<END
[Unit]
Requires=basic.target
After=basic.target
Wants=lab.service dbus.service systemd-logind.service
END
cat >"$units/lab.service" <<END
[Unit]
After=dbus.service systemd-logind.service
[Service]
Type=oneshot
Environment=HOME=/root SYSTEMD_PAGER=cat SYSTEMD_COLORS=0
ExecStart=/bin/bash /lab.sh
ExecStopPost=/usr/bin/systemctl poweroff -ff
StandardOutput=append:/lab.log
StandardError=append:/lab.log
END
# As the first process of its namespace, it would go on after a panic: such a process ignores its own SIGABRT.
linux.uml mem=1G root=/dev/root rootfstype=hostfs rootflags="$AT/root" rw con=null console=null quiet \\
  umid=lab uml_dir="$AT/" systemd.unit=lab.target systemd.log_level=warning </dev/null || exit 1
"""

_MASKED = (
    "systemd-udevd.service", "systemd-udev-trigger.service", "systemd-udev-load-credentials.service",
    "systemd-udevd-control.socket", "systemd-udevd-kernel.socket", "systemd-tmpfiles-setup-dev-early.service",
    "e2scrub_reap.service", "lvm2-monitor.service", "blk-availability.service", "lvm2-lvmpolld.socket",
    "dm-event.socket", "ifupdown-pre.service", "networking.service", "systemd-networkd.service",
    "systemd-resolved.service", "systemd-modules-load.service", "systemd-update-done.service",
    "systemd-sysusers.service", "systemd-firstboot.service",
    "systemd-binfmt.service", "proc-sys-fs-binfmt_misc.automount", "systemd-random-seed.service",
    "run-rpc_pipefs.mount", "rpc_pipefs.target", "nfs-client.target", "nfs-blkmap.service", "rpcbind.socket",
    "cloud-init-local.service", "cloud-init-main.service", "cloud-init-network.service", "cloud-config.service",
    "cloud-final.service", "user@.service", "modprobe@.service", "ldconfig.service", "dev-mqueue.mount", "tmp.mount",
    "run-lock.mount", "systemd-tmpfiles-setup-dev.service", "systemd-journal-flush.service",
    "systemd-journal-catalog-update.service",
)  # fmt: skip
"""What takes long and means nothing here: a call to this kernel takes many times as long as one to the machine's."""


_TOO_MANY_REGISTERS = "ptrace set fp regs failed, errno = 14"
"""What the kernel says where the processor's state is larger than its buffer. Seen with 6.1.176 on a processor with
`amx_tile`, and not on others."""


def missing(*layers: Path) -> str:
    """What it needs and is not here; empty if all is."""
    if os.geteuid() != 0:
        return "needs root"
    if shutil.which("linux.uml") is None:
        return "needs linux.uml (apt-get install user-mode-linux)"
    absent = [str(layer) for layer in layers if not layer.is_dir()]
    return f"needs {', '.join(absent)} (make system makes them)" if absent else ""


def run_under_own_kernel(at: Path, lower: tuple[Path, ...], script: str, files: dict[str, str]) -> str:
    """Boot, run the script as root when systemd and logind run, and power off; what the script wrote.

    Skips the test where this machine can't run the kernel.

    `at` is an empty directory, `files` come over the root file system.
    """
    for folder in ("upper", "work", "root"):
        (at / folder).mkdir()
    for path, text in {**files, "lab.sh": script}.items():
        file = at / "upper" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    settings = {
        "PATH": os.environ["PATH"],
        "AT": str(at),
        "LOWER": ":".join(map(str, lower)),
        "MASKED": " ".join(_MASKED),
        "HOME": str(at),
        "TMPDIR": "/dev/shm",
    }
    run = subprocess.run(
        ["setpriv", "--pdeathsig=KILL", "unshare", "-m", "--pid", "--fork", "--kill-child=KILL", "bash", "-c", _BOOT],
        env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False,
    )  # fmt: skip
    if _TOO_MANY_REGISTERS in run.stdout:
        pytest.skip("needs a processor without AMX: its registers are more than linux.uml has room for")
    log = at / "upper" / "lab.log"
    assert log.exists(), run.stdout
    return log.read_text()
