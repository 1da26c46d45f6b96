"""Time of slurm-gcp's planner, to compare with ours. `PYTHON bench_gcp_rival.py SCRIPTS NODES RUNS` prints the
seconds of each run on a line.

SCRIPTS is a folder with slurm-gcp's `resume.py` and its other scripts (in Google's cluster-toolkit:
`community/modules/scheduler/schedmd-slurm-gcp-v6-controller/modules/slurm_files/scripts`), PYTHON an interpreter that
has the packages they import. Calls of Google's API and lookups of machine types are answered at once, so only its own
computation is timed.
"""

import sys
import time
from unittest.mock import MagicMock


def main(scripts: str, count: int, runs: int) -> None:
    """Time `resume_nodes` for a nodeset with compact placement, 150 machines per policy."""
    sys.path.insert(0, scripts)
    import resume  # ty: ignore[import-not-found]
    import util  # ty: ignore[import-not-found]

    nodeset = {
        "nodeset_name": "cpu", "node_count_static": 0, "node_count_dynamic_max": count, "instance_template": "t",
        "zone_policy_allow": ["us-central1-a"], "enable_placement": True, "placement_max_distance": 2,
        "dws_flex": {"enabled": False},
    }  # fmt: skip
    partition = {"partition_name": "cpu", "partition_nodeset": ["cpu"], "enable_job_exclusive": False}
    config = util.NSDict(
        slurm_cluster_name="cfd", project="p", nodeset={"cpu": nodeset}, nodeset_tpu={}, nodeset_dyn={},
        partitions={"cpu": partition},
    )  # fmt: skip
    lookup = util.Lookup(config)
    template = util.NSDict(machineType="h3-standard-88", machine_type=util.NSDict(family="h3"), labels={}, disks=[])
    util.Lookup.compute = MagicMock()
    for name, answer in {
        "node_template": "t", "node_template_info": template, "template_info": template, "node_region": "us-central1",
        "nodeset_reservation": None, "future_reservation": None, "nodeset_accelerator_topology": None,
        "is_flex_node": False, "is_dormant_res_node": False, "is_provisioning_flex_node": False,
    }.items():  # fmt: skip
        setattr(lookup, name, lambda *_, answer=answer: answer)
    resume.lookup = util.lookup = lambda: lookup
    done = {"name": "o", "operationGroupId": "g", "status": "DONE", "operationType": "bulkInsert"}
    resume.ensure_execute = lambda request: done
    resume.wait_for_operation = lambda operation: operation
    resume._handle_bulk_insert_op = lambda *_: None
    resume.create_placement_request = lambda *_: MagicMock()
    resume.log_api_request = lambda request: None
    nodes = [f"cfd-cpu-{number}" for number in range(count)]
    for _ in range(runs):
        began = time.perf_counter()
        resume.resume_nodes(nodes, None)
        print(time.perf_counter() - began)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
