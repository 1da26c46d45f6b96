"""Keeps what machines and services cost: when each machine's billing began and ended, and the prices at that time.

`news` decides what to record, `file` keeps it, `spending` sums it up. The format is described in docs/ledger.md.
"""
