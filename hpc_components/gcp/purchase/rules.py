from collections.abc import Iterator, Mapping

from hpc_components.catalog import Machine
from hpc_components.catalog.clouds import catalog_of
from hpc_components.gcp.catalog.projects import differ
from hpc_components.gcp.catalog.resource_ids import id_parts
from hpc_components.gcp.fleet.model import GcpQueue, Reservation
from hpc_components.gcp.purchase.options import max_run_seconds, placed_with_flex_start, purchase_doubts, purchases
from hpc_components.gcp.spec.cluster import GcpClusterSpec
from hpc_components.spec.findings import Level, Path, Problem
from hpc_components.spec.queue_defaults import purchase_kind
from hpc_components.spec.rule import rule
from hpc_components.spec.rules._fleet import in_region, nearest, queue_machines
from hpc_components.spec.rules._purchases import jobs_start_again, spot_fabrics
from hpc_components.spec.rules._values import Wrong, value_rule
from hpc_components.spec.rules.reservations import reserved
from hpc_components.spec.slurm.settings import max_time
from hpc_components.spec.values import Duration
from hpc_components.wording import any_of, plural

_DESCRIBE = "gcloud compute reservations describe"
_OFTEN_BOUND = ("h4d-", "a3-highgpu-8g", "a3-megagpu-8g")
"""Prefixes of machine types that can have either kind of reservation: one that terminates machines when it ends, or
one that lets them continue to run."""

DEFAULT_RUN = Duration.parse("7d")


def _max_runs(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str, GcpQueue, Duration]]:
    for index, queue in enumerate(cluster.queues):
        if queue.max_run is not None:
            yield ("queues", index, "max_run"), str(queue.max_run), queue, queue.max_run


@value_rule("HPC-CAP-020", Level.ERROR, _max_runs)
def run_of_flex_start(_: GcpClusterSpec, path: Path, value: str, queue: GcpQueue, run: Duration) -> Wrong | None:
    """Use `max_run` only for queues with `purchase: flex_start`.

    Other machines run until Slurm no longer needs them. Source: Compute Engine documentation, "About Flex-start VMs".
    """
    kind = purchase_kind(queue)
    wrong = (
        f"only flex_start machines have a maximum run time, but the machines of queue {queue.name} are "
        f"purchased as {kind}",
        "remove max_run; to limit the run time of jobs, set MaxTime under the queue's slurm key",
    )
    return None if kind == "flex_start" else wrong


@value_rule("HPC-CAP-021", Level.ERROR, _max_runs)
def length_of_run(_: GcpClusterSpec, path: Path, value: str, queue: GcpQueue, run: Duration) -> Wrong | None:
    """`max_run` must be between 10 minutes and 7 days.

    Source: Compute Engine documentation, "About Flex-start VMs"; Compute Engine API reference, scheduling,
    maxRunDuration.
    """
    if purchase_kind(queue) != "flex_start" or run.seconds in max_run_seconds():
        return None
    short = run.seconds < max_run_seconds()[0]
    return (
        f"flex-start machines can run for 10m to 7d, not for {run}",
        "use at least 10m, and allow for the job's time limit plus half an hour to boot the machine and end the job"
        if short
        else "use 7d",
    )


@rule("HPC-CAP-022", Level.WARNING)
def jobs_outlive_machine(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A flex-start queue's time limit must be short enough for jobs to end before their machines are deleted.

    Google deletes a machine when its time is up, even if a job is still running on it. Source: Compute Engine
    documentation, "About Flex-start VMs", limitations.
    """
    for index, queue in _flexible(cluster):
        longest, run = max_time(queue), queue.max_run or DEFAULT_RUN
        if longest is not None and longest * 60 >= run.seconds:
            keys = {key.lower(): key for key in queue.slurm}
            known = "maxtime" in keys
            yield Problem(
                path=("queues", index, "slurm", keys["maxtime"]) if known else ("queues", index, "purchase"),
                value=queue.slurm[keys["maxtime"]] if known else "flex_start",
                reason=f"machines of this queue are deleted after {run}"
                + (
                    f", but a job may run for {queue.slurm[keys['maxtime']]}"
                    if known
                    else ", even if a job is still running"
                ),
                remedy=f"use slurm: {{MaxTime: {_below(run)}}}",
            )


@rule("HPC-CAP-023", Level.ERROR)
def sold_when_there_is_room(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A flex-start queue must use machine types that are available with flex-start: those with GPUs, and H4D.

    This is only a warning if no source says whether a type is available. Source: Compute Engine documentation, "About
    Flex-start VMs", supported machine types.
    """
    for index, queue in _flexible(cluster):
        for path, machine in queue_machines(index, queue):
            if "flex_start" in purchases(machine):
                continue
            like = [m for m in in_region(cluster) if "flex_start" in purchases(m) and m.arch == machine.arch]
            like = [m for m in like if _fits_flex_start(cluster, queue, m)]
            others = nearest(machine, [m for m in like if (m.gpu_count > 0) == (machine.gpu_count > 0)] or like)
            doubtful = "flex_start" in purchase_doubts(machine)
            yield Problem(
                path=path,
                value=machine.name,
                reason=f"no source confirms that {machine.name} is available with flex-start"
                if doubtful
                else f"{machine.name} is not available with flex-start",
                remedy="use purchase: on_demand or spot" + (f", or machine: {any_of(others)}" if others else ""),
                level=Level.WARNING if doubtful else None,
            )


def _fits_flex_start(cluster: GcpClusterSpec, queue: GcpQueue, machine: Machine) -> bool:
    together = queue.placement == "cluster" or (queue.placement is None and machine.has_fabric)
    own = cluster.base_of(queue.image)
    if machine.has_fabric and not catalog_of(cluster.cloud).has_fabric_driver(cluster.os, machine, own):
        return False
    here = {*machine.offered.get(cluster.region, "").split()} & {*cluster.queue_zones(queue)}
    return bool(here) and (not together or placed_with_flex_start(machine))


@rule("HPC-CAP-024", Level.ERROR)
def none_kept_of_flex_start(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A flex-start queue must not keep machines running.

    Each machine is deleted after `max_run`, which is at most seven days, and it is unknown when a replacement will be
    available. Source: Compute Engine documentation, "About Flex-start VMs".
    """
    for index, queue in _flexible(cluster):
        if queue.min > 0:
            yield Problem(
                path=("queues", index, "min"),
                value=queue.min,
                reason=f"min keeps {plural(queue.min, 'machine')} running, but Google deletes each machine after "
                f"{queue.max_run or DEFAULT_RUN}",
                remedy="use min: 0, or purchase: on_demand",
            )


@rule("HPC-CAP-025", Level.ERROR)
def one_place_to_wait(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """A flex-start queue must have only one zone and one machine type.

    A request waits for capacity in a single zone, so alternatives would never be tried. Source: Cluster Toolkit,
    slurm-gcp nodeset: flex-start does not accept a list of zones.
    """
    for index, queue in _flexible(cluster):
        for key, listed in (("zones", queue.zones[1:]), ("fallback", queue.fallback)):
            if listed:
                yield Problem(
                    path=("queues", index, key),
                    value=", ".join(getattr(queue, key)),
                    reason=f"a flex-start request waits in {cluster.queue_zones(queue)[0]} for {queue.machine}, so "
                    f"{any_of(listed)} would never be tried",
                    remedy=f"use zones: [{queue.zones[0]}]" if key == "zones" else "remove fallback",
                )


@rule("HPC-CAP-026", Level.WARNING)
def sold_by_the_hour(cluster: GcpClusterSpec) -> Iterator[Problem]:
    """An on-demand queue must use machines that are available on demand.

    A3 Ultra and A4 are available from reservations, with flex-start or as spot. This is only a warning, because some
    projects can also get them on demand. Source: Compute Engine documentation, "Choose a consumption option".
    """
    for index, queue in enumerate(cluster.queues):
        for path, machine in queue_machines(index, queue) if purchase_kind(queue) == "on_demand" else ():
            if "on_demand" in purchases(machine):
                continue
            ways = [kind for kind in purchases(machine) if kind != "reservation"]
            yield Problem(
                path=path,
                value=machine.name,
                reason=f"{machine.name} is rarely available on demand",
                remedy=f"use purchase: {any_of([*ways, '{reservation: projects/...}'])}",
            )


@value_rule("HPC-CAP-027", Level.INFO, spot_fabrics)
def spot_in_one_job(_: GcpClusterSpec, path: Path, value: str, queue: GcpQueue) -> Wrong:
    """Jobs on spot machines with RDMA should write checkpoints.

    A multi-node job ends as soon as any of its nodes is reclaimed, and the more nodes the job uses, the more likely
    that is. Machines get two minutes' notice, which every template requests. Source: Compute Engine documentation,
    "Spot VMs", preemption process.
    """
    return jobs_start_again(queue, "two minutes'")


def _reservations(cluster: GcpClusterSpec) -> Iterator[tuple[Path, str, GcpQueue, Mapping[str, str], str]]:
    """Yield (path, id, queue, parsed id, gcloud arguments) for each reservation with a valid id."""
    for path, queue, id in reserved(cluster):
        if isinstance(queue, GcpQueue) and (found := id_parts("reservation", id)):
            place = f"{found['name']} --zone {cluster.queue_zones(queue)[0]} --project {found['project']}"
            yield path, id, queue, found, place


@value_rule("HPC-CAP-028", Level.INFO, _reservations)
def reservation_of_another_project(
    cluster: GcpClusterSpec, path: Path, id: str, queue: GcpQueue, found: Mapping[str, str], place: str
) -> Wrong | None:
    """A reservation in another project must be shared with the cluster's project.

    No other setup is needed to use the reservation. Viewing it requires `compute.reservations.get` in the other
    project, for example through roles/compute.viewer. Machines from the reservation count against the quotas of both
    projects. Source: Compute Engine documentation, "Create a shared reservation" and "Best practices for shared
    reservations"; Cluster Toolkit 1.95.0, schedmd-slurm-gcp-v6-nodeset/README.md: launches proceed without that
    permission.
    """
    if not differ(found["project"], cluster.project):
        return None
    return (
        f"this check can't determine whether project {found['project']} shares the reservation with "
        f"{cluster.project}",
        f"view the reservation (requires roles/compute.viewer in its project): {_DESCRIBE} {place}; if it is "
        f"not shared yet, share it: gcloud compute reservations update {place} "
        f"--add-share-with={cluster.project}",
    )


@value_rule("HPC-CAP-029", Level.INFO, _reservations)
def reservation_is_specific(
    cluster: GcpClusterSpec, path: Path, id: str, queue: GcpQueue, found: Mapping[str, str], place: str
) -> Wrong | None:
    """A reservation must be specifically targeted and must match the queue's zone, machine type and disks.

    Otherwise, Google doesn't take machines from the reservation. Source: Compute Engine documentation, "Consume
    reserved zonal resources", specifically targeted reservations.
    """
    if differ(found["project"], cluster.project):
        return None
    return (
        f"this check can't determine whether the reservation is in {cluster.queue_zones(queue)[0]}, is for "
        f"{queue.machine}, and is specifically targeted",
        f"check the reservation's properties with: {_DESCRIBE} {place}",
    )


@value_rule("HPC-CAP-031", Level.WARNING, _reservations)
def end_of_reservation(
    _: GcpClusterSpec, path: Path, id: str, queue: GcpQueue, found: Mapping[str, str], place: str
) -> Wrong | None:
    """Set `bound` for a reservation of h4d, a3-highgpu-8g or a3-megagpu-8g machines.

    `bound` states whether machines are terminated when the reservation ends. If the reservation is in calendar mode
    or has dense deployment, machines must be requested as `RESERVATION_BOUND`, otherwise as `STANDARD`. This rule
    can't look up the reservation's mode, and with the wrong setting, you may get no nodes from a reservation that you
    pay for. Source: Compute Engine documentation, "About VMs that use the reservation-bound model"; Cluster Toolkit
    1.95.0, slurm-gcp resume.py, `update_reservation_props`.
    """
    stated = not isinstance(queue.purchase, Reservation) or queue.purchase.bound is not None
    if stated or "block" in found or not queue.machine.startswith(_OFTEN_BOUND):
        return None
    return (
        "machines are requested from this reservation as STANDARD, but such requests may fail if the "
        "reservation is in calendar mode or has dense deployment",
        f"run {_DESCRIBE} {place}; add bound: true if deploymentType is DENSE or reservationMode is CALENDAR, "
        "otherwise add bound: false",
    )


def _flexible(cluster: GcpClusterSpec) -> Iterator[tuple[int, GcpQueue]]:
    for index, queue in enumerate(cluster.queues):
        if purchase_kind(queue) == "flex_start":
            yield index, queue


def _below(run: Duration) -> str:
    """Return a job time limit for machines that are deleted after `run`.

    The limit is half an hour shorter than `run`, to leave time for booting and for ending the job, but at least half
    of `run`.
    """
    minutes = max(run.seconds // 60 - 30, run.seconds // 120)
    days, rest = divmod(minutes, 1440)
    return f"{days}-{rest // 60:02}:{rest % 60:02}:00"
