"""The software that users find by `module load`: what nodes get to know about it, and the program `hpc-software`,
which builds it (`node/`).
"""
