"""Output of a rehearsal: live while it runs, at its end as text, HTML page or JSON.

Each form of output is a separate module, which loads nothing of the others.
"""
