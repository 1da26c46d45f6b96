"""Writes cgroup.conf, which confines jobs to the resources that they requested."""


def cgroup_conf() -> str:
    return "ConstrainCores=yes\nConstrainRAMSpace=yes\nConstrainDevices=yes\n"
