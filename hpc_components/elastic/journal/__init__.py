"""What must survive a crash: launches that the cloud's list may not show yet, and pools that are left alone.

A launch is on disk before the cloud hears of it. Whoever writes may get an OSError, and launches nothing then.
"""
