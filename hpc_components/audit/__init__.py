"""Who logged in, who became root and who changed the cluster: what nodes get to know about `audit`, and the program
`hpc-audit`, which reads it from a node's logs (`node/`).
"""
