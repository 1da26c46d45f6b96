"""One rehearsal, from the request to the result.

`runner` is the entry point. `plan_rehearsal` plans the rehearsal, or lists everything that prevents it on this
machine. `run_rehearsal` runs the plan in a sandbox and reports each event. Inside the sandbox, `rehearsal` starts the
cluster, submits the job, injects the fault and checks the outcome.
"""
