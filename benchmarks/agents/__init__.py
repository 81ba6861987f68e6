"""What compilelint changes for a coding agent: 30 programs and a judge."""
