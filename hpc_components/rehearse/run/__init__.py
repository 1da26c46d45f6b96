"""One rehearsal, from the request to its result.

`runner` is the entry point: `plan_rehearsal` rejects what this machine can't rehearse before anything starts, and
`run_rehearsal` runs the plan in a sandbox and reports each event. Inside the sandbox, `rehearsal` starts the cluster,
submits the job, injects the fault and checks the outcome.
"""
