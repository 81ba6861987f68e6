"""Caching between runs: the cache of whole runs, of parts of a project, and of fixes."""
