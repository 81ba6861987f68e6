"""The two files that a rule of a pack begins with: the rule with its cases, and its page."""

from __future__ import annotations

from pathlib import Path

from compilelint.cli.scaffold import NAME
from compilelint.model.patterns import late_pattern

PACK_CODE = late_pattern(r"(?!CL)[A-Z]{2,10}[0-9]{3}")

_RULE = '''\
"""{code}: say in one line what it finds.

    compilelint dev test-rules --rules {module}.py
    compilelint --rules {module}.py --select {code} src
"""

from __future__ import annotations

import libcst as cst

from compilelint.lib import Effect, Rule

COMPILELINT_API = 1


class {kind}(Rule):
    """Which code is meant, what it looks like, and what looks like it and is fine."""

    code = "{code}"
    name = "{name}"
    summary = "say in one line what it finds"
    effect = Effect.SYNC
    words = (".item(",)  # a file without any of them is not opened

    INVALID = (
        """
        import torch
        from torch import nn


        class M(nn.Module):
            def forward(self, x: torch.Tensor):
                return x + x.sum().item()  # {code}
        """,
    )
    VALID = (
        """
        import torch
        from torch import nn


        class M(nn.Module):
            def forward(self, x: torch.Tensor):
                return x + x.sum()
        """,
    )

    def visit_Call(self, node: cst.Call) -> None:
        func = node.func
        if not isinstance(func, cst.Attribute) or func.attr.value != "item":
            return
        state = self.state(func.value)
        if state.tensor is not None:
            self.report(node, "what is found", why="What it costs.", help="what to write", confidence=state.confidence)
'''

_PAGE = """\
# {code} {name}: say in one line what it finds

## What it finds
Which code is meant, what it looks like, and what looks like it and is fine.

## Why it matters
What it costs.
"""


def scaffold_pack(code: str, name: str, root: str) -> list[str]:
    """Write the rule and its page into a folder, and give their paths. Raises UsageError; nothing is overwritten."""
    from compilelint.config import UsageError

    if not NAME.fullmatch(name):
        hint = "write what it finds in kebab-case: branch-on-tensor"
        raise UsageError(f"{name!r} is not a rule name", "compilelint dev new-rule", hint)
    module = name.replace("-", "_")
    kind = "".join(word.capitalize() for word in name.split("-"))
    words = {"code": code, "name": name, "module": module, "kind": kind}
    files = {Path(root, f"{module}.py"): _RULE, Path(root, f"{code}-{name}.md"): _PAGE}
    for path in files:
        if path.exists():
            raise UsageError(f"{path} exists", "compilelint dev new-rule", "move it away, or choose another name")
    for path, template in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template.format(**words), encoding="utf-8")
    return [path.resolve().as_posix() for path in files]
