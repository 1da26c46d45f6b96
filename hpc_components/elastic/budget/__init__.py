"""The cluster's monthly budget: whether it is spent, what people get to know about it, and what outlives a restart.

`look` judges the ledger's figures, `record` keeps what must not be forgotten within a month, and `budget` does both
in every cycle. Nothing here changes Slurm or the cloud: the cycle does, as soon as launches have stopped.
"""
