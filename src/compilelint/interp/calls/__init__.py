"""From a call to its summary."""
