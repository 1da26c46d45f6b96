from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.settings import settings_of


@rule("HPC-SLM-042", Level.ERROR)
def separation_is_ours(cluster: ClusterSpec) -> Iterator[Problem]:
    """`separate_organizations` must not be combined with `MCSPlugin` or `MCSParameters`.

    It sets both of them. A user's value would take the place of ours, and organizations would share nodes. Source:
    slurm.conf(5), MCSParameters.
    """
    separate = cluster.slurm.separate_organizations and cluster.organizations
    for setting in settings_of(cluster) if separate else ():
        if setting.key.lower() in ("mcsplugin", "mcsparameters"):
            yield Problem(
                path=setting.path,
                value=setting.value,
                reason=f"{setting.key} would take the place of what separate_organizations sets",
                remedy=f"remove {setting.key} or separate_organizations",
            )
