"""`hpc-elastic`: nodes come when jobs wait and go when they are idle. Runs on the head node.

It imports nothing of the other rooms and, beside the driver of its cloud, nothing but the standard library: it
travels to the nodes as an archive and must run on the Python of any supported system (3.10 and newer).
"""
