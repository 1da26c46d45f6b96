"""One rehearsal, from the request to its result.

`runner` is the way in: `plan` refuses what this machine can't rehearse before anything starts, `perform` runs the
plan and reports each event. Inside the sandbox, `rehearsal` starts the cluster, submits the job, injects the fault
and checks what came of it.
"""
