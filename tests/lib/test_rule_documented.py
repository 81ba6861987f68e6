"""The examples of `docs/contributing/packs.md` are run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from compilelint.session.commands.test_rules import tried
from tests.lib.programs import MODEL, write

PAGE = Path(__file__).parents[2] / "docs" / "contributing" / "packs.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_rule_holds_its_cases(tmp_path: Path) -> None:
    cases = tried([str(write(tmp_path, documented=EXAMPLES[0]))])
    assert [case.faults for case in cases] == [(), ()]


def test_the_codemod_changes_tensors_alone(tmp_path: Path) -> None:
    namespace: dict[str, Any] = {}
    exec(compile(EXAMPLES[1], "packs.md", "exec"), namespace)
    changed = namespace["changed"](str(write(tmp_path, net=MODEL)), "net.py")
    assert changed == MODEL.replace("y.sum().item()", "y.sum()")
