"""What a job of PyTorch logged while it compiled, read as data: structured traces and `TORCH_LOGS` text.

Readers yield events, a line at a time and within bounds, and the events of one run are gathered into causes. Nothing of
a log is executed or opened: its paths and names are texts. A line that is not understood costs itself and is counted.
"""
