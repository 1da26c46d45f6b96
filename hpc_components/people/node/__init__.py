"""The program `hpc-people`, which runs on every node as root and makes the people of the cluster exist there.

It imports nothing outside the standard library (Python 3.10 or newer), because it travels to the nodes as a single
file. Each of its commands compares what is there with what should be, and changes only the difference, so a command
that was interrupted is completed by the next run.
"""
