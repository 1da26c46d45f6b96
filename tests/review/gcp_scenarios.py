"""Pull requests on the stacks on Google Cloud."""

from hpc_components.review.change_effects import Effect
from tests.review.scenario import CREATE, DELETE, FORGET, REPLACE, UPDATE, Scenario

KEY = "projects/my-hpc-project/locations/us-central1/keyRings/hpc/cryptoKeys/data"
SCRATCH = '      scratch: {type: lustre, mount: /fsx, size: 9000GiB, import_from: "gs://my-hpc-data-bucket"}\n'
SLURM = "slurm: {idle_time: 10m}"
VISION = "machine: g2-standard-96, max: 6, slurm: {AllowAccounts: computer-vision}"

GCP = (
    Scenario(
        name="gcp_queue_renamed",
        stack="gcp-h3",
        after=(("name: spot", "name: cheap"),),
        worst=Effect.ACCESS,
        meets=(
            (DELETE, Effect.NEW_NODES, "RegionInstanceTemplate", "cfd-spot-c3-standard-176-us-central1-a"),
            (CREATE, Effect.LIVE, "RegionInstanceTemplate", "cfd-cheap-c3-standard-176-us-central1-a"),
            (REPLACE, Effect.SLURMCTLD_RESTARTS, "BucketObject", "slurm/slurm.conf"),
        ),
        described=("queues[1]", "queues[1]"),
        holds="destroy",
    ),
    Scenario(
        name="gcp_file_system_removed",
        stack="gcp-h3",
        after=((SCRATCH, ""),),
        worst=Effect.LEFT_BEHIND,
        meets=(
            (FORGET, Effect.LEFT_BEHIND, "Instance", "cfd-scratch"),
            (REPLACE, Effect.HEAD_REPLACED, "Instance", "cfd-head"),
        ),
        described=("storage.scratch",),
        holds="destroy data-loss",
    ),
    Scenario(
        name="gcp_region",
        stack="gcp-dev",
        after=(
            (
                "    region: us-central1\n    zone: us-central1-a",
                "    region: europe-west4\n    zone: europe-west4-a",
            ),
        ),
        worst=Effect.DATA_LOST,
        meets=(
            (REPLACE, Effect.DATA_LOST, "Instance", "dev-home"),
            (REPLACE, Effect.DATA_LOST, "Disk", "dev-head-state"),
            (REPLACE, Effect.HEAD_REPLACED, "Instance", "dev-head"),
        ),
        described=("region", "zone"),
        holds="destroy data-loss access",
    ),
    Scenario(
        name="gcp_ssh_opened",
        stack="gcp-h3",
        after=(("203.0.113.0/24", "0.0.0.0/0"),),
        worst=Effect.ACCESS,
        meets=((UPDATE, Effect.ACCESS, "Firewall", "cfd-ssh-from-users"),),
        described=("network.ssh_from",),
        new=("HPC-NET-004",),
        holds="access warning",
    ),
    Scenario(
        name="gcp_script_added",
        stack="gcp-dev",
        files_after={"compute/site.sh": "#!/bin/bash\nset -eu\nsysctl -w vm.swappiness=1\n"},
        worst=Effect.LIVE,
        meets=((CREATE, Effect.LIVE, "BucketObject", "compute/site.sh"),),
    ),
    Scenario(
        name="gcp_slurm_version",
        stack="gcp-h3",
        after=(
            (
                SLURM,
                'slurm: {idle_time: 10m, version: "24.11", package_source: "https://packages.example.org/slurm"}',
            ),
        ),
        worst=Effect.SLURMCTLD_RESTARTS,
        meets=((REPLACE, Effect.SLURMCTLD_RESTARTS, "BucketObject", "slurm/slurm.conf"),),
        described=("slurm.version", "slurm.package_source"),
    ),
    Scenario(
        name="gcp_slurm_setting",
        stack="gcp-h3",
        after=((SLURM, "slurm: {idle_time: 10m, settings: {MaxJobCount: 50000}}"),),
        worst=Effect.SLURMCTLD_RESTARTS,
        meets=((REPLACE, Effect.SLURMCTLD_RESTARTS, "BucketObject", "slurm/slurm.conf"),),
        described=("slurm.settings",),
    ),
    Scenario(
        name="gcp_accounting_on",
        stack="gcp-h3",
        after=((SLURM, "slurm: {idle_time: 10m, accounting: {}}"),),
        worst=Effect.SLURMCTLD_RESTARTS,
        meets=(
            (CREATE, Effect.LIVE, "BucketObject", "slurm/slurmdbd.conf"),
            (REPLACE, Effect.SLURMCTLD_RESTARTS, "BucketObject", "slurm/slurm.conf"),
        ),
        described=("slurm.accounting",),
    ),
    Scenario(
        name="gcp_spot",
        stack="gcp-university",
        after=((VISION, VISION.replace("max: 6,", "max: 6, purchase: spot,")),),
        worst=Effect.SLURMCTLD_RESTARTS,
        meets=(
            (REPLACE, Effect.NEW_NODES, "RegionInstanceTemplate", "-computer-vision-g2-standard-96-europe-83066c"),
        ),
        described=("queues[1].purchase",),
        holds="destroy",
    ),
    Scenario(
        name="gcp_finding_silenced",
        stack="gcp-h3",
        after=(
            ("    billing_account", "    silence: {HPC-GML-009: an import of June was read}\n    billing_account"),
        ),
        worst=Effect.LIVE,
        described=("silence",),
    ),
    Scenario(
        name="gcp_program_fails",
        stack="gcp-dev",
        program='raise SystemExit("the site\'s licence server does not answer")\n',
        failure="the site's licence server does not answer",
        holds="error",
    ),
    Scenario(
        name="gcp_cluster_renamed",
        stack="gcp-dev",
        after=(("name: dev\n", "name: trial\n"),),
        worst=Effect.DATA_LOST,
        meets=(
            (DELETE, Effect.DATA_LOST, "Instance", "dev-home"),
            (CREATE, Effect.LIVE, "Instance", "trial-home"),
        ),
        described=("name",),
        holds="destroy data-loss",
    ),
    Scenario(
        name="gcp_home_on_lustre",
        stack="gcp-h3",
        after=(("home: {type: nfs, mount: /home, size: 1TiB}", "home: {type: lustre, mount: /home, size: 9000GiB}"),),
        worst=Effect.LEFT_BEHIND,
        described=("storage.home.type", "storage.home.size"),
        holds="destroy data-loss warning",
    ),
    Scenario(
        name="gcp_storage_renamed",
        stack="gcp-h3",
        after=(("      home: {", "      homes: {"),),
        worst=Effect.LEFT_BEHIND,
        meets=((FORGET, Effect.LEFT_BEHIND, "Instance", "cfd-home"),),
        described=("storage.home", "storage.homes"),
        holds="destroy data-loss",
    ),
    Scenario(
        name="gcp_home_removed",
        stack="gcp-h3",
        after=(("      home: {type: nfs, mount: /home, size: 1TiB}\n", ""),),
        worst=Effect.LEFT_BEHIND,
        meets=((FORGET, Effect.LEFT_BEHIND, "Instance", "cfd-home"),),
        described=("storage.home",),
        new=("HPC-MNT-005",),
        holds="destroy data-loss warning",
    ),
    Scenario(
        name="gcp_home_existing",
        stack="gcp-h3",
        after=(
            (
                "home: {type: nfs, mount: /home, size: 1TiB}",
                "home: {type: nfs, mount: /home, existing: {server: 10.90.0.9, export: /home}}",
            ),
        ),
        worst=Effect.LEFT_BEHIND,
        meets=((FORGET, Effect.LEFT_BEHIND, "Instance", "cfd-home"),),
        described=("storage.home.size", "storage.home.existing"),
        new=("HPC-MNT-007",),
        holds="destroy data-loss warning",
    ),
    Scenario(
        name="gcp_home_mounted_elsewhere",
        stack="gcp-h3",
        after=(("mount: /home", "mount: /users"),),
        worst=Effect.LIVE,
        described=("storage.home.mount",),
        new=("HPC-MNT-005",),
        holds="data-loss warning",
    ),
    Scenario(
        name="gcp_lustre_shrunk",
        stack="gcp-h3",
        before=(("size: 9000GiB", "size: 18000GiB"),),
        after=(("size: 18000GiB", "size: 9000GiB"),),
        worst=Effect.REFUSED,
        meets=((UPDATE, Effect.REFUSED, "Instance", "cfd-scratch"),),
        described=("storage.scratch.size",),
        holds="error",
    ),
    Scenario(
        name="gcp_maximum_raised",
        stack="gcp-h3",
        after=(("max: 16", "max: 24"),),
        worst=Effect.SLURMCTLD_RESTARTS,
        described=("queues[0].max",),
        holds="warning",
    ),
    Scenario(
        name="gcp_dearer_machine",
        stack="gcp-h3",
        after=(
            (
                "machine: h3-standard-88",
                "machine: h4d-standard-192, image: projects/my-hpc-project/global/images/ubuntu-2404-cloud-rdma",
            ),
        ),
        worst=Effect.ACCESS,
        described=("queues[0].machine", "queues[0].image"),
        new=("HPC-OSI-020",),
        holds="destroy access warning",
    ),
    Scenario(
        name="gcp_bucket_removed",
        stack="gcp-h4d",
        after=(("    buckets:\n      results: {type: gcs, archive: {coldline: 90d}}\n", ""),),
        worst=Effect.LEFT_BEHIND,
        described=("buckets",),
        holds="destroy data-loss",
    ),
    Scenario(
        name="gcp_keys_removed",
        stack="gcp-h3",
        before=(
            (
                "home: {type: nfs, mount: /home, size: 1TiB}",
                f"home: {{type: nfs, mount: /home, size: 1TiB, kms_key: {KEY}}}",
            ),
        ),
        after=((f", kms_key: {KEY}", ""),),
        worst=Effect.LEFT_BEHIND,
        described=("storage.home.kms_key",),
        holds="destroy data-loss",
    ),
)
