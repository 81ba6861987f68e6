"""What runs inside a worker process, beside the user's code: the only place of the dynamic pass that imports torch.

A worker trusts nothing it runs: its own ends of the pipes are private, and the parent survives whatever becomes of it.
"""
