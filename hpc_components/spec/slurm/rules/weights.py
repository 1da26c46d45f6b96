import re
from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Level, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.rules._gres import counted
from hpc_components.spec.slurm.settings import global_settings, settings_of
from hpc_components.spec.slurm.tres import BUILT_IN, counted_licenses
from hpc_components.wording import any_of, did_you_mean

WEIGHT_KEYS = ("tresbillingweights", "priorityweighttres")

_WEIGHT = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?[kmgtp]?", re.IGNORECASE)


@rule("HPC-SLM-034", Level.ERROR)
def weights_read(cluster: ClusterSpec) -> Iterator[Problem]:
    """Weights must be pairs of a resource that Slurm counts and a number: `CPU=1.0,Mem=0.25G,GRES/gpu=2.0`.

    Otherwise slurmctld does not start: "failed to parse tres weights str". If accounting is enabled, Slurm also
    counts generic resources and the licenses listed in `Licenses` or AccountingStorageTRES. Source: Slurm source
    code, src/common/slurm_protocol_api.c; slurm.conf(5), TRESBillingWeights; run on Slurm 22.05 and 24.11.
    """
    gres, accounting = counted(cluster), cluster.slurm.accounting is not None
    licenses = counted_licenses(cluster.slurm.settings)
    known = (*BUILT_IN, *((*gres, *licenses, *_named(cluster)) if accounting else ()))
    for setting in settings_of(cluster):
        for pair in setting.text.split(",") if setting.key.lower() in WEIGHT_KEYS else ():
            type, equals, weight = pair.partition("=")
            if not equals or not _WEIGHT.fullmatch(weight):
                reason = f"{pair!r} is not a weight"
                remedy = "write pairs, as in CPU=1.0,Mem=0.25G" + (",GRES/gpu=2.0" if "gres/gpu" in known else "")
            elif type.lower() in gres and not accounting:
                reason = f"without accounting, Slurm does not count {type}" + (
                    ", and slurmctld does not start" if setting.scope == "partition" else ""
                )
                remedy = "add slurm.accounting: {}, or remove this weight"
            elif type.lower() not in known:
                reason = f"Slurm does not count {type!r} on this cluster"
                remedy = did_you_mean(type, known, f"use {any_of(known, most=8)}", cutoff=0.7)
            else:
                continue
            yield Problem(path=setting.path, value=setting.value, reason=reason, remedy=remedy)


def _named(cluster: ClusterSpec) -> tuple[str, ...]:
    setting = global_settings(cluster).get("accountingstoragetres")
    return tuple(setting.text.lower().split(",")) if setting else ()
