"""Groups Slurm's job states by what they mean to a user who is waiting for a job.

Source: Slurm 22.05.8 to 25.11.2, `job_state_string` in src/common/slurm_protocol_defs.c, as printed by `scontrol show
job` (one word: the job's flag if it has one, otherwise its base state), and Slurm's "Job State Codes".
"""

WAITING = frozenset(
    {"EXPEDITING", "PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
)
"""The job is waiting in the queue, either for the first time or after a requeue."""

STARTING = frozenset({"CONFIGURING"})
"""The job has nodes that are not ready yet."""

ACTIVE = frozenset({"COMPLETING", "RESIZING", "RUNNING", "SIGNALING", "STAGE_OUT"})
"""States of a job that is running or completing on its nodes."""

PAUSED = frozenset({"STOPPED", "SUSPENDED"})
"""The job has been stopped but may continue."""

ENDED = frozenset(
    {
        "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
        "REVOKED", "TIMEOUT",
    }
)  # fmt: skip
"""The job will not run again."""
