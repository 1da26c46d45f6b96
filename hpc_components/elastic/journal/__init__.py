"""What must survive a crash: launches that the cloud's list may not show yet, and pools that are left alone.

A launch is on disk before the request is sent. A write may raise OSError, and then nothing is launched.
"""
