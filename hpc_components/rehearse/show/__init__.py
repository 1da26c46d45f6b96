"""Shows a rehearsal live while it runs, and afterwards as text, HTML or JSON.

Each output format has its own module, which does not import the others.
"""
