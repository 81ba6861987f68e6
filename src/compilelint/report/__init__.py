"""Reports: findings in, text out. Nothing here prints, exits or judges.

`report` is what every format is made from; `formats` has a file a format, `layout` what they share, `write` puts a
report into a file.
"""
