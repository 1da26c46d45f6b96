"""The laptop's side of a running cluster: how to reach its nodes, and what `hpc status`, `hpc nodes`, `hpc logs`
and `hpc doctor` show.

It runs the user's own `ssh` and `scp`, and the cloud's own command line for a tunnel. It stores no key, opens no port
and needs no service on the cluster beyond sshd. Everything that it runs on nodes only reads, except `queue_state.py`.
"""
