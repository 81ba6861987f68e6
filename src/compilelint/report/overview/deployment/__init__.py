"""The report on a deployment: what to compile for training, for serving or for a device without Python, and how."""
