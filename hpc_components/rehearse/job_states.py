"""Slurm's job states, by what they mean for somebody who waits for a job.

Source: Slurm 22.05.8 to 25.11.2, `job_state_string` in src/common/slurm_protocol_defs.c, which `scontrol show job`
prints (one word: a flag, if the job has one, before its base state), and Slurm's "Job State Codes".
"""

__all__ = ["ACTIVE", "ENDED", "PAUSED", "STARTING", "WAITING"]

WAITING = frozenset(
    {"EXPEDITING", "PENDING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
)
"""It waits in the queue, for the first time or again."""

STARTING = frozenset({"CONFIGURING"})
"""It has its nodes, which are not ready yet."""

ACTIVE = frozenset({"COMPLETING", "RESIZING", "RUNNING", "SIGNALING", "STAGE_OUT"})
"""It runs or completes on its nodes."""

PAUSED = frozenset({"STOPPED", "SUSPENDED"})
"""It was stopped, and may go on."""

ENDED = frozenset(
    {
        "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
        "REVOKED", "TIMEOUT",
    }
)  # fmt: skip
"""It will not run again."""
