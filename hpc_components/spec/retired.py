"""Lists the ids of removed rules. The ids are never reused, and descriptions may still silence them."""

RETIRED: dict[str, str] = {
    "HPC-ACC-022": "AccountingStorageEnforce extends associations,limits,qos,safe, so limits are always enforced",
    "HPC-EFA-005": "`fabric: true` in a queue of one node is the same as the default, so it needs no finding",
    "HPC-MCH-013": "`smt: false` on a machine with one thread per core changes nothing, so it needs no finding",
    "HPC-NET-020": "nat: per_zone in a single zone creates the same gateway as nat: one, so it needs no finding",
}
