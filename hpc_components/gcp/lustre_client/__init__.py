"""Checks that nodes can use Google's Lustre client, which supports only some operating systems and kernels."""
