"""Runs the described cluster on this machine's hosts.

`setup` generates the cluster's files and adapts them to this machine, with a reason for every changed line.
`local_cluster` boots the hosts and starts the same services as on real nodes. `local_cloud` implements the cloud that
the elastic daemon uses. In this cloud, machines are hosts, and failures can be injected.
"""
