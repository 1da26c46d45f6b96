"""Slurm's job states, grouped by what they mean for a user who is waiting for a job.

Source: Slurm 22.05.8 to 25.11.2, `job_state_string` in src/common/slurm_protocol_defs.c, as printed by `scontrol show
job` (one word: a flag, if the job has one, before its base state), and Slurm's "Job State Codes".
"""

WAITING = frozenset(
    {"EXPEDITING", "PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
)
"""The job is waiting in the queue, for the first time or again."""

STARTING = frozenset({"CONFIGURING"})
"""The job has nodes, which are not ready yet."""

ACTIVE = frozenset({"COMPLETING", "RESIZING", "RUNNING", "SIGNALING", "STAGE_OUT"})
"""The job is running or completing on its nodes."""

PAUSED = frozenset({"STOPPED", "SUSPENDED"})
"""The job was stopped, and may continue."""

ENDED = frozenset(
    {
        "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
        "REVOKED", "TIMEOUT",
    }
)  # fmt: skip
"""The job will not run again."""
