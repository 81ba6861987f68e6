"""What code leaves behind: attributes, containers, closures, switches."""
