"""What nodes get to know about the people of a cluster.

`files` writes the people of a description into a file for all nodes. `node` is the program that reads the file there:
`hpc-people`.
"""
