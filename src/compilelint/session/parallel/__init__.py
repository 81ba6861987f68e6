"""Running in parallel: splitting a project into parts, one part's analysis, worker processes."""
