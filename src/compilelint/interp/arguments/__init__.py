"""What a root's arguments are taken for, and from which evidence."""
