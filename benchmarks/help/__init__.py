"""Is the help the help that a public thread gave? See `__main__` and README.md."""
