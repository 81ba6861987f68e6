"""Many models: where they come from, and what a fleet of workers makes of them."""
