"""Caching between runs: whole runs, parts of a project, fixes, and the IR of imported modules."""
