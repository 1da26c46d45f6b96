"""A rehearsal shown to people and programs: live while it runs, at its end as text, HTML page or JSON.

Each way of showing is a module of its own, so that one loads nothing of the others.
"""
