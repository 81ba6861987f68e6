"""Where a tensor is, what cuda graphs record."""
