"""What library callables do to abstract values: one file a library, registered by name (`registry`)."""
