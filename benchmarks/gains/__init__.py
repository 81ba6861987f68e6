"""Whether a fix gains what its finding states: programs before and after, measured on a device."""
