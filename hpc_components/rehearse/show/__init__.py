"""Shows a rehearsal: live while it runs, and afterwards as text, an HTML page or JSON.

Each kind of output has a separate module that does not import the others.
"""
