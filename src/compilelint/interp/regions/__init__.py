"""Bodies with rules of their own: checkpoint, operators, autograd functions, hooks."""
