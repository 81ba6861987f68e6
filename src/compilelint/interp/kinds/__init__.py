"""What an operation does, one file a kind of value."""
