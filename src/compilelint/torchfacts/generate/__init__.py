"""Measures what the installed torch does and writes the tables; the only part of the package that imports torch."""
