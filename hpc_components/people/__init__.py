"""What nodes get to know about the people of a cluster.

`files` makes the document about the people of a description. `node` is the program that reads it on the head node,
and what the head node publishes on the others: `hpc-people`.
"""
