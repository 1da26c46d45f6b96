"""Shows a rehearsal: live while it runs, and at its end as text, an HTML page or JSON.

Each form of output is a separate module that does not load the others.
"""
