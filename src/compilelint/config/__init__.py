"""What the user asked for, from the command line and from files: read, checked, and united into `Options`."""

from compilelint.config.files import nearest_files
from compilelint.config.options import Options, Selection, TargetTable, UsageError
from compilelint.config.outputs import Output, parse_outputs
from compilelint.config.rules import chosen_rules, ignored_in, named, severity_in
from compilelint.config.settings import Setting, Settings, settle

__all__ = [
    "Options",
    "Output",
    "Selection",
    "Setting",
    "Settings",
    "TargetTable",
    "UsageError",
    "chosen_rules",
    "ignored_in",
    "named",
    "nearest_files",
    "parse_outputs",
    "settle",
    "severity_in",
]
