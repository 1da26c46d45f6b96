"""The program `hpc-software`, which builds software by a job. It travels to nodes, so it imports only Python's
standard library (3.10 or newer).
"""
