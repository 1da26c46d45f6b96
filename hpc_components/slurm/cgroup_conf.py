"""cgroup.conf: confines jobs to the resources that they requested."""


def cgroup_conf() -> str:
    """Return the text, the same for every cluster and release."""
    return "ConstrainCores=yes\nConstrainRAMSpace=yes\nConstrainDevices=yes\n"
