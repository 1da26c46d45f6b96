"""The program of every stack: reads the cluster that the stack file describes, and makes it on its cloud."""

import importlib

import pulumi

from hpc_components.spec.load import SpecError, load_cluster

try:
    cluster = load_cluster(pulumi.Config("hpc").require_object("cluster"))
except SpecError as error:
    raise pulumi.RunError(str(error)) from None

importlib.import_module(cluster.cloud).main(cluster)
