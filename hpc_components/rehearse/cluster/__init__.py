"""The described cluster on this machine's hosts.

`setup` generates the cluster's files and adapts them to this machine, giving a reason for each changed line; it
starts nothing. `local_cluster` boots the hosts and starts the services that run on real nodes. `local_cloud` is the
cloud that the elastic daemon uses: its machines are hosts, and its methods inject failures.
"""
