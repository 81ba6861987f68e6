"""Prices of what the rules name: milliseconds a step of a break, a read or a copy, seconds of a compilation."""
