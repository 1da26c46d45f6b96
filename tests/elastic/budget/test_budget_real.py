"""A budget that is spent, on real Slurm: what runs ends in peace, what waits says why, and a raised budget helps.

Money passes faster than elsewhere: a machine costs ten dollars a second.
"""

import json
import re
import signal

import pytest

from elastic.lab import Cluster, end, wait
from elastic.lab.cloud import COMMAND, Cloud, install_daemon, start_daemon
from elastic.lab.fixtures import lab  # noqa: F401

pytestmark = pytest.mark.slurm

NODES = """\
NodeName=q-[1-4] CPUs=4 CoresPerSocket=4 RealMemory=1000 State=CLOUD
PartitionName=q Nodes=q-[1-4] Default=YES
"""
USD_PER_SECOND = 10
POOL = {"queue": "q", "machine": "m", "zone": "z", "purchase": "on_demand"}
PRICE = {"usd_per_hour": str(3600 * USD_PER_SECOND), "basis": "list", "source": "test", "as_of": "2026-11-28"}
LOOKS_SECONDS = 60.0
"""Until a cycle has come on a busy machine: the daemon waits 5 s between two while machines are up."""


CHAT = """\
import http.server


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open("/shared/chat", "ab") as file:
            file.write(body + b"\\n")
        self.send_response(200)
        self.end_headers()


http.server.HTTPServer(("127.0.0.1", 9900), Handler).serve_forever()
"""


@pytest.fixture(scope="module")
def cluster(lab):  # noqa: F811
    made = Cluster(lab, NODES)
    install_daemon(made, nodes=4)
    made.head.write(
        "/etc/hpc/prices.json", json.dumps({"version": 1, "machines": [{**POOL, **PRICE}], "services": []})
    )
    give(made, 150)
    (made.lab.shared / "chat.py").write_text(CHAT)
    made.head.spawn("/usr/bin/python3", "/shared/chat.py")
    made.head.write("/etc/hpc/webhook", "http://127.0.0.1:9900/hooks/1")
    return made


@pytest.fixture(scope="module")
def cloud(cluster):
    with Cloud(cluster).served() as made:
        yield made


@pytest.fixture(scope="module")
def daemon(cluster, cloud):
    """Its processes, the one that runs last."""
    processes = [start_daemon(cluster)]
    yield processes
    assert end(processes[-1], signal.SIGTERM) == 0


def give(cluster, usd):
    """Change the budget of the month."""
    config = json.loads(cluster.head.run("cat", "/etc/hpc/elastic.json"))
    budget = {"monthly_usd": str(usd), "stop_launches": True, "alert_at": [80, 100], "webhook": True}
    cluster.head.write("/etc/hpc/elastic.json", json.dumps(config | {"budget": budget}))


def submit(cluster, until):
    """A job on a node of its own, until a file is there."""
    script = ("--exclusive", "--output=/dev/null", f"--wrap=until [ -e /shared/{until} ]; do sleep 0.2; done")
    return cluster.head.run("sbatch", "--parsable", *script, user="alice").strip()


def told(cluster, job, what):
    return cluster.head.run("squeue", "--noheader", f"--format={what}", f"--jobs={job}", check=False).strip()


def budget(cluster):
    return json.loads(cluster.head.run(*COMMAND, "status", "--format", "json"))["budget"]


@pytest.fixture(scope="module")
def jobs(cluster, cloud, daemon):
    """One that runs while the budget is spent, and one that comes too late for it."""
    first = submit(cluster, "first-may-end")
    wait(lambda: told(cluster, first, "%T") == "RUNNING")
    wait(lambda: budget(cluster)["stopped"], LOOKS_SECONDS)
    return first, submit(cluster, "second-may-end")


def test_once_the_budget_is_spent_a_new_job_waits_and_the_running_one_goes_on(cluster, cloud, jobs):
    first, second = jobs
    wait(lambda: len(reasons(cluster)) == 1 and "budget" in reasons(cluster)[0], LOOKS_SECONDS)
    (reason,) = reasons(cluster)
    assert re.match(
        r"hpc: budget: the cluster's budget of 150 USD for \w+ is spent; renews on 1 \w+, 0:00 UTC", reason
    )
    wait(lambda: "DOWN, DRAINED" in told(cluster, second, "%r"))
    comment = f"AdminComment={reason.replace('budget: ', '', 1)}"
    wait(lambda: comment in cluster.head.run("scontrol", "show", "job", second, user="alice"), LOOKS_SECONDS)
    assert (told(cluster, first, "%T"), told(cluster, second, "%T")) == ("RUNNING", "PENDING")
    assert [launch.nodes for launch in cloud.launches] == [("q-1",)]
    print("squeue:", told(cluster, second, "%r"), "| sinfo -R:", reason)


def reasons(cluster):
    return [line.strip() for line in cluster.head.run("sinfo", "--noheader", "-R", "--format=%150E").splitlines()]


def notices(cluster):
    file = cluster.lab.shared / "chat"
    return [json.loads(line)["text"] for line in file.read_text().splitlines()] if file.exists() else []


def test_the_chat_hears_of_the_stop_once_even_if_the_daemon_is_killed(cluster, cloud, daemon, jobs):
    wait(lambda: any("launches nothing now" in text for text in notices(cluster)))
    wait(lambda: "told the webhook" in cluster.head.run(*COMMAND, "status"))
    end(daemon[-1], signal.SIGKILL)
    daemon.append(start_daemon(cluster))
    wait(lambda: json.loads(cluster.head.run(*COMMAND, "status", "--format", "json"))["totals"]["cycles"] > 2)
    assert sum("launches nothing now" in text for text in notices(cluster)) == 1


def test_a_killed_daemon_still_launches_nothing(cluster, cloud, daemon, jobs):
    end(daemon[-1], signal.SIGKILL)
    daemon.append(start_daemon(cluster))
    assert budget(cluster)["stopped"]
    assert told(cluster, jobs[0], "%T") == "RUNNING"
    assert len(cloud.launches) == 1


def test_the_machine_ends_with_its_job_and_nothing_is_spent_any_more(cluster, cloud, jobs):
    before = float(budget(cluster)["spent_usd"])
    (cluster.lab.shared / "first-may-end").touch()
    wait(lambda: not cloud.machines)
    wait(lambda: budget(cluster)["per_hour_usd"] == "0")
    spent = float(budget(cluster)["spent_usd"])
    assert 150 - 30 * USD_PER_SECOND <= before <= spent
    assert float(budget(cluster)["spent_usd"]) == spent
    assert told(cluster, jobs[1], "%T") == "PENDING"
    print(f"spent {spent:.2f} of 150 USD, {spent - before:.2f} since the job might end (60 s are billed at least)")


def test_a_raised_budget_starts_the_job_that_waits(cluster, cloud, daemon, jobs):
    give(cluster, 1_000_000)
    end(daemon[-1], signal.SIGTERM)
    daemon.append(start_daemon(cluster))
    wait(lambda: told(cluster, jobs[1], "%T") == "RUNNING")
    assert "AdminComment=hpc" not in cluster.head.run("scontrol", "show", "job", jobs[1])
    (cluster.lab.shared / "second-may-end").touch()
    wait(lambda: told(cluster, jobs[1], "%T") in ("", "COMPLETED"))
