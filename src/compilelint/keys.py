"""The configuration, declared once: every key with what it takes, means, holds without it, and looks like.

Pure data, so that the help of a command imports nothing for it. What reads values (`config.keys`, `dynamic.targets`),
the JSON Schema (`config.schema`), `--help` of the options that mirror a key, `compilelint init` and the site's tables
all follow from these three tuples.
"""

from __future__ import annotations

from typing import NamedTuple

MOST_SECONDS = 120
"""What a file may set `timeout` to; the command line takes any."""


class Key(NamedTuple):
    """One key. `kind` says how its value is read, `choices` the words it may be; `default` is in words, `example` TOML.

    `option` is what `--help` says of the option of the same name, where there is one.
    """

    name: str
    kind: str
    meaning: str
    default: str
    example: str
    choices: tuple[str, ...] = ()
    option: str = ""

    @property
    def help(self) -> str:
        """What stands beside its option."""
        default = self.default.strip('[]"')
        return self.option if default in ("none", "false") else f"{self.option} [default: {default}]"


SEVERITIES = ("error", "warning", "note")
MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite")

KEYS: tuple[Key, ...] = (
    Key("extend", "text", "another file, whose values apply where this one sets none", "none", '"../base.toml"'),
    Key(
        "select", "rules", "only these rules: codes, families, names, effects", "all", '["CL1", "wrong-result"]',
        option="Use only these rules: CL101, CL1, host-read, sync, ...",
    ),
    Key("extend-select", "rules", "these rules too", "none", '["CL7"]', option="Use these rules too."),
    Key("ignore", "rules", "not these rules", "none", '["print-call"]', option="Skip these rules."),
    Key(
        "severity", "severities", "the severity of findings, by rule", "effect and confidence",
        '{ CL101 = "warning" }', SEVERITIES,
    ),
    Key("per-file-ignores", "ignores", "rules that are off in some files", "none", '{ "tests/**" = ["CL201"] }'),
    Key(
        "min-confidence", "confidence", "the least sure findings that are shown", "likely", '"certain"',
        ("certain", "likely", "possible"), "Report findings that are at least this sure.",
    ),
    Key(
        "fail-on", "severity", "the least severity that makes the exit code 1", "warning", '"error"', SEVERITIES,
        "Exit with 1 if there is a finding of this severity or worse.",
    ),
    Key(
        "baseline", "text", "a file of known findings that are not reported", "none", '"compilelint-baseline.json"',
        option="Do not report the findings in this file.",
    ),
    Key(
        "exclude", "patterns", "files and folders left out, as in .gitignore", "none", '["third_party/"]',
        option="Skip files and folders, as in .gitignore.",
    ),
    Key(
        "force-exclude", "flag", "leave them out even if they are named", "false", "true",
        option="Skip excluded files even if PATHS names them.",
    ),
    Key(
        "roots", "texts", "what gets compiled", '["auto"]', '["explicit", "pkg.model:Net.forward"]',
        option="What gets compiled: auto, explicit, all, or a glob such as 'pkg.mod:Class.method'.",
    ),
    Key(
        "dynamo", "dynamo", "how it is compiled: `fullgraph`, `dynamic`, `mode`, `export`, ...", "{}",
        '{ mode = "reduce-overhead" }',
    ),
    Key(
        "compilers", "compilers", "functions of your own that compile, by dotted name, and how they are asked", "none",
        '{ "mypkg.speed.fast" = "wraps" }', ("wraps", "wraps blocks", "wraps class"),
    ),
    Key(
        "torch-version", "torch-version", "the torch to predict for: a version or a range",
        "installed or required", '">=2.9"', option="torch to predict for: 2.9, or all of '>=2.6,<2.11'.",
    ),
    Key(
        "python", "text", "the environment whose packages are followed", "found near the files", '".venv"',
        option="Interpreter or environment to look up imports in.",
    ),
    Key(
        "follow-imports", "choice", "which imported sources are read", "all", '"project"', ("all", "project", "none"),
        "Which imported code to follow.",
    ),
    Key(
        "timeout", "seconds", f"CPU seconds that the roots of one file may take, at most {MOST_SECONDS}", "20", "60",
        option="CPU time limit for the compile roots of one file; 0: none.",
    ),
    Key("targets", "targets", "what `compilelint verify` runs", "none", '[{ model = "pkg.model:build" }]'),
)  # fmt: skip
"""The keys of `[tool.compilelint]`."""

DYNAMO_KEYS: tuple[Key, ...] = (
    Key("fullgraph", "flag", "a graph break is an error", "false", "true"),
    Key("dynamic", "flag", "sizes are symbols from the first call on, or never", "decided by recompiling", "true"),
    Key("mode", "choice", "the mode of `torch.compile`", "default", '"reduce-overhead"', MODES),
    Key("export", "flag", "the code is for `torch.export`", "false", "true"),
    Key("capture-scalar-outputs", "flag", "`torch._dynamo.config.capture_scalar_outputs` is on", "false", "true"),
    Key(
        "capture-dynamic-output-shape-ops", "flag", "`torch._dynamo.config.capture_dynamic_output_shape_ops` is on",
        "false", "true",
    ),
)  # fmt: skip
"""The keys of `[tool.compilelint.dynamo]`."""

TARGET_KEYS: tuple[Key, ...] = (
    Key("name", "any-text", "what reports call it", "the model", '"small"'),
    Key("model", "reference", "class, instance, factory or function: `pkg.mod:Name`", "needed", '"pkg.model:Net"'),
    Key("arguments", "table", "what the class or factory is called with", "{}", "{ width = 8 }"),
    Key("inputs", "inputs", "what it is called with: shapes, names, values, or a function", "guessed", '["2x3x64x64"]'),
    Key("weights", "weights", "the share of calls of each input set", "equal", "[8, 1]"),
    Key("dynamic-dims", "dims", "dimensions that vary in the second call", "none", "{ ids = [0, 1] }"),
    Key("max-breaks", "count", "the graph breaks that it may have", "0", "1"),
    Key("max-recompiles", "count", "the recompilations that it may have", "any", "0"),
    Key("mode", "choice", "how it is called", "eval", '"train"', ("eval", "train")),
    Key("regions", "any-texts", "submodules that are compiled instead of the whole", "none", '["encoder"]'),
    Key("timeout", "positive", "seconds that it may take", "120", "300"),
    Key("memory", "positive", "MB that it may take", "any", "4000"),
    Key("seeds", "seeds", "seeds of weights and inputs, each a run", "[0]", "[0, 1]"),
)
"""The keys of a `[[tool.compilelint.targets]]`."""


def key(name: str) -> Key:
    """The key of `KEYS` by its name. Raises KeyError."""
    return _BY_NAME[name]


_BY_NAME = {one.name: one for one in KEYS}
