"""Programs that let a framework compile their model, each run under the real framework."""
