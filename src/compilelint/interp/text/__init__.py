"""Questions about ir that need no frame."""
