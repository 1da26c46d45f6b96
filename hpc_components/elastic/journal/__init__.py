"""Keeps the state that must survive a crash: recent launches, which may still be missing from the cloud's list, and
blocked pools.

A launch must be on disk before its request is sent. If writing the journal raises OSError, nothing is launched.
"""
