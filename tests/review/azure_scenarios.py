"""Pull requests on the stacks on Azure."""

from hpc_components.review.effects import Effect
from tests.review.scenario import CREATE, DELETE, FORGET, REPLACE, UNPROTECT, UPDATE, Scenario

__all__ = ["AZURE"]

SPOT = (
    "      - {name: spot, machine: Standard_HB120rs_v3, max: 8, purchase: spot, placement: none, fabric: false, "
    "smt: false}\n"
)

AZURE = (
    Scenario(
        name="azure_maximum_raised",
        stack="azure-hbv4",
        after=(("Standard_HB176rs_v4, max: 16", "Standard_HB176rs_v4, max: 24"),),
        worst=Effect.SLURMCTLD_RESTARTS,
        meets=((REPLACE, Effect.SLURMCTLD_RESTARTS, "Blob", "slurm/slurm.conf"),),
        described=("queues[0].max",),
    ),
    Scenario(
        name="azure_queue_removed",
        stack="azure-hbv4",
        after=((SPOT, ""),),
        worst=Effect.ACCESS,
        meets=(
            (FORGET, Effect.LIVE, "VirtualMachineScaleSet", "cfd-spot-hb120rs-v3-1"),
            (DELETE, Effect.ACCESS, "UserAssignedIdentity", "cfd-spot-identity"),
        ),
        described=("queues[1]",),
        holds="destroy",
    ),
    Scenario(
        name="azure_lustre_shrunk",
        stack="azure-hbv4",
        before=(("size: 8TiB", "size: 16TiB"),),
        after=(("size: 16TiB", "size: 8TiB"),),
        worst=Effect.LEFT_BEHIND,
        meets=((REPLACE, Effect.LEFT_BEHIND, "AmlFilesystem", "cfd-scratch"),),
        described=("storage.scratch.size",),
        holds="destroy data-loss",
    ),
    Scenario(
        name="azure_thrown_away",
        stack="azure-hbv4",
        after=(("    name: cfd\n", "    name: cfd\n    throw_away: true\n"),),
        worst=Effect.UNPROTECTED,
        meets=(
            (UNPROTECT, Effect.UNPROTECTED, "AmlFilesystem", "cfd-scratch"),
            (UNPROTECT, Effect.UNPROTECTED, "Disk", "cfd-head-state"),
            (UNPROTECT, Effect.LIVE, "VirtualNetwork", "cfd-vnet"),
        ),
        described=("throw_away",),
        new=("HPC-HED-006",),
        holds="warning",
    ),
    Scenario(
        name="azure_zone",
        stack="azure-hbv4",
        after=(("zone: eastus-1 ", "zone: eastus-2 "),),
        worst=Effect.REFUSED,
        meets=(
            (UPDATE, Effect.REFUSED, "Disk", "cfd-head-state"),
            (REPLACE, Effect.HEAD_REPLACED, "VirtualMachine", "cfd-head"),
        ),
        described=("zone",),
        holds="destroy error",
    ),
    Scenario(
        name="azure_login_nodes",
        stack="azure-nd",
        after=(
            (
                "login_nodes: {machine: Standard_D8s_v5, min: 2, max: 4",
                "login_nodes: {machine: Standard_D16s_v5, min: 2, max: 6",
            ),
        ),
        worst=Effect.NEW_NODES,
        meets=(
            (UPDATE, Effect.LIVE, "AutoscaleSetting", "nd-login-grow"),
            (UPDATE, Effect.NEW_NODES, "VirtualMachineScaleSet", "nd-login"),
        ),
        described=("login_nodes.machine", "login_nodes.max"),
    ),
    Scenario(
        name="azure_operating_system",
        stack="azure-dev",
        after=(("zone: eastus-1\n", 'zone: eastus-1\n    os: debian-12\n    slurm: {version: "22.05"}\n'),),
        worst=Effect.HEAD_REPLACED,
        meets=(
            (REPLACE, Effect.HEAD_REPLACED, "VirtualMachine", "dev-head"),
            (REPLACE, Effect.NEW_NODES, "VirtualMachineScaleSet", "dev-debug-d8as-v5-1"),
        ),
        described=("os", "slurm"),
        new=(
            "HPC-OSI-014",
            "HPC-OSI-014",
        ),
        holds="destroy",
    ),
    Scenario(
        name="azure_tags",
        stack="azure-nd",
        after=(("CostCenter: research-computing", "CostCenter: physics"),),
        worst=Effect.NEW_NODES,
        meets=(
            (REPLACE, Effect.NEW_NODES, "VirtualMachineScaleSet", "nd-gpu-nd96isr-h100-v5-1"),
            (UPDATE, Effect.LIVE, "VirtualMachine", "nd-head"),
        ),
        described=("tags.CostCenter",),
        holds="destroy",
    ),
    Scenario(
        name="azure_budget",
        stack="azure-hbv4",
        after=(("monthly: 20000", "monthly: 30000"),),
        worst=Effect.LIVE,
        meets=((UPDATE, Effect.LIVE, "Budget", "cfd-budget"),),
        described=("budget.monthly",),
    ),
    Scenario(
        name="azure_fabric_off",
        stack="azure-hbv4",
        after=(("placement: cluster}", "fabric: false, placement: none}"),),
        worst=Effect.SLURMCTLD_RESTARTS,
        meets=((REPLACE, Effect.NEW_NODES, "VirtualMachineScaleSet", "cfd-compute-queue-hb176rs-v4-1"),),
        described=("queues[0].fabric", "queues[0].placement"),
        holds="destroy",
    ),
    Scenario(
        name="azure_stack_new",
        stack="azure-dev",
        before=None,
        worst=Effect.ACCESS,
        meets=((CREATE, Effect.LIVE, "VirtualMachine", "dev-head"),),
        new=("HPC-SEC-008", "HPC-HED-006", "HPC-NAF-010", "HPC-SLM-025"),
        holds="warning",
    ),
    Scenario(
        name="azure_description_wrong",
        stack="azure-hbv4",
        after=(("size: 8TiB", "size: 4TiB"),),
        failure="sold in multiples of 8 TiB",
        holds="error",
    ),
    Scenario(
        name="azure_home_on_lustre",
        stack="azure-hbv4",
        after=(
            (
                "home: {type: nfs, mount: /home, size: 1TiB}",
                "home: {type: lustre, mount: /home, size: 8TiB, throughput: 250}",
            ),
        ),
        worst=Effect.LEFT_BEHIND,
        meets=((FORGET, Effect.LEFT_BEHIND, "FileShare", "cfd-home-share"),),
        described=("storage.home.type", "storage.home.size", "storage.home.throughput"),
        new=("HPC-DUR-002",),
        holds="destroy data-loss warning",
    ),
    Scenario(
        name="azure_storage_renamed",
        stack="azure-hbv4",
        after=(("      home: {", "      homes: {"),),
        worst=Effect.LEFT_BEHIND,
        meets=((FORGET, Effect.LEFT_BEHIND, "FileShare", "cfd-home-share"),),
        described=("storage.home", "storage.homes"),
        new=("HPC-NAF-010",),
        holds="destroy data-loss",
    ),
    Scenario(
        name="azure_home_removed",
        stack="azure-hbv4",
        after=(("      home: {type: nfs, mount: /home, size: 1TiB}\n", ""),),
        worst=Effect.LEFT_BEHIND,
        meets=((FORGET, Effect.LEFT_BEHIND, "FileShare", "cfd-home-share"),),
        described=("storage.home",),
        new=("HPC-MNT-005",),
        holds="destroy data-loss warning",
    ),
    Scenario(
        name="azure_home_existing",
        stack="azure-hbv4",
        after=(
            (
                "home: {type: nfs, mount: /home, size: 1TiB}",
                "home: {type: nfs, mount: /home, existing: {server: 10.90.0.9, export: /home}}",
            ),
        ),
        worst=Effect.LEFT_BEHIND,
        meets=((FORGET, Effect.LEFT_BEHIND, "FileShare", "cfd-home-share"),),
        described=("storage.home.size", "storage.home.existing"),
        new=("HPC-MNT-007",),
        holds="destroy data-loss warning",
    ),
    Scenario(
        name="azure_home_mounted_elsewhere",
        stack="azure-hbv4",
        after=(("mount: /home", "mount: /users"),),
        worst=Effect.LIVE,
        described=("storage.home.mount",),
        new=("HPC-MNT-005",),
        holds="data-loss warning",
    ),
    Scenario(
        name="azure_ssh_opened",
        stack="azure-hbv4",
        after=(("203.0.113.0/24", "0.0.0.0/0"),),
        worst=Effect.ACCESS,
        described=("network.ssh_from",),
        new=("HPC-NET-004",),
        holds="access warning",
    ),
    Scenario(
        name="azure_queue_renamed",
        stack="azure-hbv4",
        after=(("name: spot", "name: cheap"),),
        worst=Effect.ACCESS,
        described=("queues[1]", "queues[1]"),
        new=("HPC-MCH-013",),
        holds="destroy",
    ),
    Scenario(
        name="azure_dearer_machine",
        stack="azure-hbv4",
        after=(("machine: Standard_HB176rs_v4", "machine: Standard_HX176rs"),),
        worst=Effect.SLURMCTLD_RESTARTS,
        described=("queues[0].machine",),
        new=("HPC-QTA-001",),
        holds="warning",
    ),
    Scenario(
        name="azure_slurm_setting",
        stack="azure-hbv4",
        after=(("slurm: {idle_time: 10m}", "slurm: {idle_time: 10m, settings: {MaxJobCount: 50000}}"),),
        worst=Effect.SLURMCTLD_RESTARTS,
        described=("slurm.settings",),
    ),
    Scenario(
        name="azure_bucket_removed",
        stack="azure-university",
        after=(("    buckets:\n      archive: {type: blob, archive: {cool: 30d, archive: 180d}}\n", ""),),
        worst=Effect.LEFT_BEHIND,
        described=("buckets",),
        holds="destroy data-loss access",
    ),
)
