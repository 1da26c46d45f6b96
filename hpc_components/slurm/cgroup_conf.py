"""cgroup.conf: confines jobs to the resources that they asked for."""

__all__ = ["cgroup_conf"]


def cgroup_conf() -> str:
    """The text; the same for every cluster and release."""
    return "ConstrainCores=yes\nConstrainRAMSpace=yes\nConstrainDevices=yes\n"
