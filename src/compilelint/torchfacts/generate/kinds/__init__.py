"""Measures what Dynamo does with each kind of object: every operation and member, by where the object was made."""
