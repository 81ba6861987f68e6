"""What `compilelint verify` sees, held against recordings made by other means."""
