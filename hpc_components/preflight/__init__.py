"""Asks a cloud, with the user's own credentials and without changing anything, whether a described cluster can be
created there.

- `account`: what a cloud's part provides: an `Account` that only reads, what the description and the plan name
- `asked`: the questions of one cluster
- `checks`: each check turns answers into findings
- `run`: asks everything at the same time
- `report`: the findings, and which checks were left out and why
- `rest`: read-only requests to clouds without an SDK of their own
"""
