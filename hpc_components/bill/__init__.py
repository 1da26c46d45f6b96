"""What machines and jobs cost, and what may still be spent.

It imports nothing outside the standard library (Python 3.10 or newer), because it also travels to the nodes.
"""
