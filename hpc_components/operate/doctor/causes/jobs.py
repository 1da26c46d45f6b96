"""Why jobs wait although nodes could start."""

from collections.abc import Iterator, Sequence

from hpc_components.catalog.level import Level
from hpc_components.operate.doctor.cause import Found, Step, cause
from hpc_components.operate.doctor.facts import Facts
from hpc_components.operate.doctor.words import jobs_that
from hpc_components.operate.slurm_view import JobView
from hpc_components.wording import listed, plural

# Reasons of squeue(1), JOB REASON CODES, of Slurm 22.05 to 25.11.
_LIMITS = ("QOS", "Assoc", "MaxJobs", "MaxCpu", "MaxNode")
_NEVER = {
    "PartitionTimeLimit": "its time limit exceeds the queue's",
    "PartitionNodeLimit": "it wants more or fewer nodes than the queue allows",
    "BadConstraints": "no node has what it asks for",
    "InvalidAccount": "its account does not exist any more",
    "InvalidQOS": "its QoS does not exist or is not allowed",
    "DependencyNeverSatisfied": "a job that it depends on has failed",
    "AccountNotAllowed": "its account may not use the queue",
    "QOSNotAllowed": "its QoS may not be used in the queue",
}
"""Reasons that do not end by themselves, with what they mean."""
_HELD = ("JobHeldUser", "JobHeldAdmin")
_FAILED_LAUNCH = ("launch failed requeued held", "JobHoldMaxRequeue")
_STOPPED = ("PartitionDown", "PartitionInactive")
_FOR_NODES = ("Resources", "Priority")


def _waiting(facts: Facts, *begins: str) -> list[JobView]:
    return [job for job in facts.waiting if job.reason.startswith(begins)]


def _shown(jobs: Sequence[JobView]) -> str:
    return listed([f"{job.id} of {job.user}" for job in jobs], 3)


def _ids(jobs: Sequence[JobView]) -> list[str]:
    return [job.id for job in jobs]


@cause("queue-stopped", Level.WARNING)
def queue_stopped(facts: Facts) -> Iterator[Found]:
    """A queue is stopped, and jobs wait for it."""
    for queue, state in facts.partitions.items():
        jobs = [job for job in facts.waiting if queue in job.queue.split(",") and job.reason in _STOPPED]
        if state != "up" and jobs:
            yield Found(
                what=f"Queue {queue} is {state}: {jobs_that(jobs, 'waits', 'wait')} for it ({_shown(jobs)})",
                why="An administrator stopped it, e.g. by `hpc stop`; no new job starts until it is started again",
                do=(Step(command=("hpc", "start", "{stack}", queue), on="laptop"),),
                jobs=_ids(jobs),
            )


@cause("queue-stopped-without-jobs", Level.INFO, unless=("queue-stopped",))
def queue_stopped_without_jobs(facts: Facts) -> Iterator[Found]:
    """A queue is stopped; no job waits for it."""
    for queue, state in facts.partitions.items():
        if state != "up" and not any(queue in job.queue.split(",") for job in _waiting(facts, *_STOPPED)):
            yield Found(
                what=f"Queue {queue} is {state}; no job waits for it",
                why="An administrator stopped it, e.g. by `hpc stop`",
                do=(Step(command=("hpc", "start", "{stack}", queue), on="laptop"),),
            )


@cause("job-failed-to-start", Level.WARNING)
def job_failed_to_start(facts: Facts) -> Iterator[Found]:
    """Jobs are held because their start failed."""
    if jobs := _waiting(facts, *_FAILED_LAUNCH):
        yield Found(
            what=f"{jobs_that(jobs, 'is', 'are')} held, because the start failed: {_shown(jobs)}",
            why="Slurm holds such jobs until they are released. slurmd's log of the node where they failed says why",
            do=(Step(command=("sudo", "scontrol", "release", ",".join(_ids(jobs)[:20]))),),
            jobs=_ids(jobs),
        )


@cause("job-can-never-start", Level.WARNING)
def job_can_never_start(facts: Facts) -> Iterator[Found]:
    """Jobs wait for what does not happen by itself."""
    for reason, meaning in _NEVER.items():
        if jobs := [job for job in facts.waiting if job.reason == reason]:
            yield Found(
                what=f"{jobs_that(jobs, 'waits', 'wait')} in vain ({reason}), because {meaning}: {_shown(jobs)}",
                why="That does not end by itself: the job has to be changed or cancelled, or the description"
                " corrected",
                do=(Step(command=("scontrol", "show", "job", jobs[0].id)),),
                jobs=_ids(jobs),
            )


@cause("job-over-limit", Level.INFO)
def job_over_limit(facts: Facts) -> Iterator[Found]:
    """Jobs wait because of a limit of an account or a QoS."""
    over = [job for job in _waiting(facts, *_LIMITS) if job.reason not in _NEVER]
    for reason in dict.fromkeys(job.reason for job in over):
        jobs = [job for job in over if job.reason == reason]
        yield Found(
            what=f"{jobs_that(jobs, 'waits', 'wait')} for a limit, {reason}: {_shown(jobs)}",
            why="The limit is that of an account, a user or a QoS (`slurm.accounting` in the description). They start"
            " when other jobs of the same account or QoS end; a job that alone exceeds the limit never does",
            do=(
                Step(
                    command=("sacctmgr", "show", "qos", "format=name,grptres,maxtres,maxtresperuser,maxjobsperuser")
                ),
                Step(command=("sacctmgr", "show", "assoc", f"user={jobs[0].user}", "format=account,grptres,maxjobs")),
            ),
            jobs=_ids(jobs),
        )


@cause("job-held", Level.INFO)
def job_held(facts: Facts) -> Iterator[Found]:
    """Jobs are held by their users or by an administrator."""
    if jobs := _waiting(facts, *_HELD):
        yield Found(
            what=f"{jobs_that(jobs, 'is', 'are')} held: {_shown(jobs)}",
            why="They wait until the user, or for jobs that an administrator held, an administrator releases them",
            do=(Step(command=("sudo", "scontrol", "release", ",".join(_ids(jobs)[:20]))),),
            jobs=_ids(jobs),
        )


@cause("nodes-boot", Level.INFO)
def nodes_boot(facts: Facts) -> Iterator[Found]:
    """Machines of jobs boot."""
    booting = [node.name for node in facts.nodes if node.state == "booting"]
    waits = (facts.daemon or {}).get("waits", ())
    if booting:
        words = f" ({waits[0]['words']})" if waits else ""
        yield Found(
            what=f"{plural(len(booting), 'node')} boot{words}",
            why="Their jobs start when all their nodes are there",
            nodes=booting,
        )


@cause("queue-full", Level.INFO, unless=("budget-spent", "launch-refused", "over-quota", "machines-do-not-come-up",
                                         "no-capacity", "node-held-while-jobs-wait", "elastic-stopped",
                                         "elastic-without-credentials", "elastic-stuck"))  # fmt: skip
def queue_full(facts: Facts) -> Iterator[Found]:
    """All nodes of a queue are in use, and jobs wait for them."""
    for queue in facts.partitions:
        nodes = [node for node in facts.nodes if queue in facts.queues_of.get(node.name, ())]
        jobs = [job for job in _waiting(facts, *_FOR_NODES) if queue in job.queue.split(",")]
        if jobs and nodes and all(node.state in ("busy", "booting") for node in nodes):
            yield Found(
                what=f"Queue {queue} is full: all {len(nodes)} nodes are in use, {jobs_that(jobs, 'waits', 'wait')}",
                why="They start when others end. A larger `max` of the queue gives more nodes",
                jobs=_ids(jobs),
            )
