"""Targets on the processes of a cluster: what travels, who performs it there, and what a client that dies leaves.

The engine is any `concurrent.futures.Executor`, Dask's among them; there is no scheduler of our own. On the cluster's
side a target goes through the same isolated worker as on this machine (`dynamic.runner`), with its limits and refusals.
"""
