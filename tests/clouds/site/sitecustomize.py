"""Runs when Python starts with this folder in PYTHONPATH: every process that a test starts knows the toy cloud."""

from clouds.registered import register

register()
