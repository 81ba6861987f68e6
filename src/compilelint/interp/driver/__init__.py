"""Roots, runs, the editor's records."""
