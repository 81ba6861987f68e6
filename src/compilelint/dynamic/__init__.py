"""The dynamic pass: real TorchDynamo runs in worker processes, and how they bear on findings.

Guarantee: nothing here imports torch except `worker/`, which runs in processes of its own, and nothing of the user's
code runs but in those. Does not belong here: anything the interpreter believes; the two witnesses are independent.
"""
