"""One rehearsal, from the request to its result.

`runner` is the way in: `plan_rehearsal` refuses what this machine can't rehearse before anything starts, and
`run_rehearsal` runs the plan in a sandbox and reports each event. In there, `rehearsal` starts the cluster, submits
the job, injects the fault and checks what came of it.
"""
