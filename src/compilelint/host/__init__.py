"""The program around compiled code, run step by step: which calls meet which guards, and what the wrapper meets."""
