"""Buckets of the description, used as by users and jobs."""

from collections.abc import Iterator, Mapping

from hpc_components.accept.checks.part import Part, QueueRun, by_node, on_each_node, quoted, silent
from hpc_components.accept.result import Code, Outcome, held, left_out
from hpc_components.cloud import cloud_named
from hpc_components.spec.bucket_access import Access, bucket_access
from hpc_components.spec.cluster import ClusterSpec

LISTED = "/etc/hpc/buckets"
"""File of every node that uses buckets: a line for each, with its key in the description and its URL."""

_NO_LIST = "no list"

_LACKS = "lacks "
"""Begins a line of bucket.py if the node lacks the tool."""

SECONDS = 60
"""Time for one bucket, after which the test of all is stopped."""

_EACH = """\
for url in $(awk -v key={key} '$1 == key {{print $2}}' {listed}); do
  echo {key} "$(python3 bucket.py {access} "$url" {name} 2>&1 | tail -n 1)"
done"""

_DOES = {"write": "write, read and delete objects in", "read": "list"}


def reachable(cluster: ClusterSpec, place: str) -> dict[str, Access]:
    """Return the access that users have at a place (see `bucket_access`), by the bucket's key in the description.

    Empty if the cloud brings no program that uses buckets.
    """
    if cloud_named(cluster.cloud).parts.bucket_api is None:
        return {}
    found = {key: bucket_access(bucket, place) for key, bucket in cluster.buckets.items()}
    return {key: access for key, access in found.items() if access}


def use_buckets(access: Mapping[str, Access], token: str) -> str:
    """Return Bash that uses the buckets, and prints the key and the result of each URL.

    `bucket.py` and `bucket_api.py` must be in the working directory.
    """
    name = f"hpc-accept-{token}-$(hostname -s)"
    lines = [_EACH.format(key=quoted(key), listed=LISTED, access=how, name=name) for key, how in access.items()]
    return f"if [ ! -e {LISTED} ]; then echo {quoted(_NO_LIST)}; else\n" + "\n".join(lines) + "\nfi"


def faults(lines: list[str], access: Mapping[str, Access]) -> dict[str, str]:
    """Return what is wrong with each bucket, empty if nothing is, given what `use_buckets` printed."""
    said: dict[str, list[str]] = {key: [] for key in access}
    for line in lines:
        key, _, result = line.partition(" ")
        if key in said:
            said[key].append(result or "no answer")
    missing = f"there is no {LISTED}" if lines == [_NO_LIST] else f"{LISTED} does not list it"
    return {
        key: "; ".join(each for each in found if each != "ok") if found else missing for key, found in said.items()
    }


def buckets(run: QueueRun) -> Part | None:
    """Jobs must be able to use each bucket of the description to which the queue has access."""
    access = reachable(run.cluster, run.queue.name)
    if not access:
        return None

    def judge(text: str) -> Iterator[Outcome]:
        found = by_node(text)
        yield from judged_by_place(found, access, run.queue.name, silent(found, run, text), not run.speeds_count)

    token = run.folder.rpartition("-")[2]
    script = on_each_node(use_buckets(access, token))
    return Part(code=Code.BUCKETS, script=script, judge=judge, seconds=SECONDS * len(access))


def judged_by_place(
    found: Mapping[str, list[str]], access: Mapping[str, Access], where: str, wrong: list[str], rehearsed: bool
) -> Iterator[Outcome]:
    """Yield an outcome for each bucket, given the lines of each host. `wrong` is what failed on all of them."""
    by_host = {host: faults(lines, access) for host, lines in sorted(found.items())}
    for key, how in access.items():
        what = f"users can {_DOES[how]} bucket {key}"
        failed = {host: fault for host, each in by_host.items() if (fault := each[key])}
        shown = [f"{host}: {fault}" for host, fault in failed.items()]
        if rehearsed and found and all(lines == [_NO_LIST] for lines in found.values()):
            yield left_out(Code.BUCKETS, what, where, "a rehearsal has no buckets")
        elif failed and not wrong and all(fault.startswith(_LACKS) for fault in failed.values()):
            yield left_out(Code.BUCKETS, what, where, "; ".join(shown))
        else:
            yield held(Code.BUCKETS, what, where, [*wrong, *shown])
