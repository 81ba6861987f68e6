"""The program around compiled code."""
