"""Keeps what must survive a crash: launches that the cloud's list may not show yet, and blocked pools.

A launch must be on disk before its request is sent. Writing may raise OSError, in which case nothing is launched.
"""
