"""The second analyser: what is wrong outside compiled code, read from the IR without interpretation.

Compile calls and what becomes of their results, custom operators, autograd functions, lost state, repeated blocks.
Rules over its events live in `checks` like all others. Its confidence is decided in `reach`.
"""
