"""What a project leaves off: switches that nothing in its files sets, and the lines that run only with one of them on.

A switch is `False` by default somewhere and goes on from name to name: an option of the command line, a key of a
configuration, parameters of constructors, attributes, properties. Switches are matched by name over all files: a name
that gets anything but `False` or another such name in any file is not a switch, so that two things of one name count
as one. Does not belong here: a switch of one file alone (`report.overview.off_by_default`), where not all files are
known.
"""

from compilelint.survey.left_off.lines import LeftOff, Range

__all__ = ["LeftOff", "Range"]
