"""A server of the Model Context Protocol: what a coding agent needs to find a graph break, try a fix, and prove it.

`serve` makes the server; everything but `answers` and `serve` knows nothing of the protocol.
"""
