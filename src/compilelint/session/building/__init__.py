"""How a project builds and calls its models: factories written from its own calls, examples and settings.

All of this reads; nothing of the project is imported or run here. `commands.init` has the candidates tried in a worker.
"""
