"""Whether compiling pays: eager against ways to compile, measured side by side, and the advice in words.

Guarantee: nothing here imports torch except `worker/`, which runs in processes of its own. Claims come from intervals:
what an interval that holds 1.0 says is called undecided. Does not belong here: how a report looks, what a finding is.
"""
