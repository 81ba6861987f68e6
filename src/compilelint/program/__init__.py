"""From files on disk to what the interpreter reads: sources, modules, suppressions, the LibCST side of a finding.

Nothing here imports torch, and nothing here imports, executes or evaluates the code it reads.
"""
