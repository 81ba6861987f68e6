"""Source text to IR: reading files, parsing, lowering, places, notebooks, suppressions, the LibCST side of a finding.

Nothing here imports torch, and nothing here imports, executes or evaluates the code it reads. Does not belong here:
what a name means beyond its own file (`project`).
"""
