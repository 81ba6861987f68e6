"""The smallest stand-alone script that shows what a run has shown: sliced from the project, then reduced by trials.

Slices are cut by the names that definitions use, from the target on; nothing is imported or run here. Every candidate
is run by real TorchDynamo in a process of its own, and stays only if it shows the same id.
"""
