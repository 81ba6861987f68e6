"""The doors to the disk: files of others read within bounds and inside their tree, our own written whole.

Nothing here knows what a file means. Whatever opens a path that a stranger's tree can name does it here.
"""
