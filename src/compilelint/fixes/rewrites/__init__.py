"""The rewrites, one idiom a file, registered by `@rewrite` (`engine.registry`) and found by listing this folder."""
