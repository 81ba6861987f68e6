"""What dynamo refuses, by operation."""
