"""A rehearsal shown to people and programs: live while it runs, at its end as text, HTML page or JSON.

Each stands in a module of its own, so that one way of showing loads nothing of the others.
"""
