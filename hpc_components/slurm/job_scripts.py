"""Generates the programs that check nodes and run the description's own scripts before and after jobs."""

import hashlib
from collections.abc import Mapping

from hpc_components.catalog.health_checks import Moment
from hpc_components.slurm.health import checks_jobs
from hpc_components.slurm.releases import at_least
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.scripts import Script, of_jobs

_FRAME = """\
#!/bin/bash
# Slurm's {at} on each node of a job of cluster {name}, as root: checks of the node, and scripts of the description.
# Nodes fetch this file from slurmctld.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
export HPC_QUEUE=${{SLURMD_NODENAME%-*}}

run() {{ # <name> <time limit in seconds>: the script on stdin
  local at status=0 why
  at=$(mktemp -d /root/.hpc-script.XXXXXX) || exit 1
  cat >"$at/$1"
  chmod 700 "$at/$1"
  # to a file, because whoever waits for the end of a pipe also waits for services that the script has started
  timeout --kill-after=10 "$2" "$at/$1" >"$at/log" 2>&1 </dev/null || status=$?
  why=$(sed '/^[[:space:]]*$/d' "$at/log" | tail -n 1)
  logger -t hpc-{at} -f "$at/log" 2>/dev/null
  rm -rf "$at"
  case $status in
    0) ;;
    124 | 137) echo "script $1: ended after its time_limit of $2 s"; exit 1 ;;
    *) echo "script $1: exit code $status: $why"; exit 1 ;;
  esac
}}
"""


_HEALTH = """
# Only 3 means that the node is unhealthy: a program that is missing, broken or late says nothing about it.
if [[ -x /opt/hpc/bin/hpc-health ]]; then
  status=0
  said=$(timeout --kill-after=5 20 /opt/hpc/bin/hpc-health check --at {at} --drain </dev/null 2>&1) || status=$?
  if ((status == 3)); then
    echo "${{said##*$'\\n'}}"
    exit 1
  fi
fi
"""


def job_programs(cluster: ClusterSpec, version: str) -> dict[str, str]:
    """Return Slurm's prolog and epilog, keyed by file name, as far as the cluster has scripts or checks for them.

    The result is empty for releases of Slurm (`version`) that don't pass them on to nodes (rule HPC-SCR-005).
    """
    if not at_least(version, "23.11"):
        return {}
    scripts = of_jobs(cluster.scripts)
    return {
        f"hpc-job-{at}": _program(cluster, at, {name: one for name, one in scripts.items() if one.at == at})
        for at in ("epilog", "prolog")
        if checks_jobs(cluster, at) or any(script.at == at for script in scripts.values())
    }


def program_keys(cluster: ClusterSpec, version: str) -> dict[str, str]:
    """Return the keys of slurm.conf for these programs. slurmctld passes files with a relative path to nodes."""
    return {name.rpartition("-")[2].capitalize(): name for name in job_programs(cluster, version)}


def _program(cluster: ClusterSpec, at: Moment, scripts: Mapping[str, Script]) -> str:
    calls = (_call(name, script) for name, script in scripts.items())
    check = _HEALTH.format(at=at) if checks_jobs(cluster, at) else ""
    return _FRAME.format(at=at, name=cluster.name) + check + "".join(calls)


def _call(name: str, script: Script) -> str:
    text = script.text or ""
    end = f"end-of-{name}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"  # no line of the script
    body = text if text.endswith("\n") else f"{text}\n"
    run = f"run {name} {script.time_limit.seconds} <<'{end}'\n{body}{end}\n"
    if not script.on:
        return f"\n{run}"
    return f"\nif [[ $HPC_QUEUE == @({'|'.join(script.on)}) ]]; then\n{run}fi\n"
