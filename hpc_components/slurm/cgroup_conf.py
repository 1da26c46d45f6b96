"""Writes cgroup.conf, which confines jobs to the resources that they requested."""


def cgroup_conf() -> str:
    """Return the text, which is the same for every cluster and release."""
    return "ConstrainCores=yes\nConstrainRAMSpace=yes\nConstrainDevices=yes\n"
