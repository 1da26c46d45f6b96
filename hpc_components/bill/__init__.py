"""What a cluster cost, divided among its people.

Imports nothing outside the standard library (Python 3.10 or newer), because it also runs on head nodes.
"""
