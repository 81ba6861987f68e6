"""The language server (extra `lsp`): what the analysis says, in an editor, while one types.

Guarantee: nothing that is read is run. `verify`, which runs the user's code, is started by an explicit command alone,
in a process of its own, and only where the client says that the workspace is trusted.
"""
