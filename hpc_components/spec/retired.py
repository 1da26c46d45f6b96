"""Lists the ids of removed rules, which are never reused and which descriptions may still silence."""

RETIRED: dict[str, str] = {
    "HPC-ACC-022": "AccountingStorageEnforce is added to associations,limits,qos,safe: limits always hold",
    "HPC-EFA-005": "`fabric: true` in a queue of one node is the same as the default, so it needs no finding",
    "HPC-MCH-013": "`smt: false` on a machine with one thread per core changes nothing, so it needs no finding",
    "HPC-NET-020": "nat: per_zone in a single zone creates the same gateway as one, so it needs no finding",
}
"""Reason for each rule's removal, by id."""
