"""The steps of a lint that are cheap: inputs, merge, deduplicate, finish, gates (baseline, changed lines)."""
