"""The three files that a new rule begins with: its page, its check, its test."""

from __future__ import annotations

from pathlib import Path

from compilelint.model.patterns import late_pattern

_CODE = late_pattern(r"CL[1-9][0-9]{2}")
NAME = late_pattern(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")

_PAGE = """\
# {code} {name}: say in one line what it finds

## What it finds
Which code is meant, what it looks like, and what looks like it and is fine.

## Bad
```python
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    print(x.shape)  # {code}
    return x * 2
```

## Good
```python
import torch


def f(x: torch.Tensor) -> torch.Tensor:
    return x * 2
```

## More

## Why it matters
What Dynamo does there, and what that costs.

## Run with
```python
import torch

args = (torch.randn(4),)
```
"""

_CHECK = '''\
"""{code}: say in one line what it finds."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Call
from compilelint.model import Effect, Finding, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts

{constant} = Rule("{code}", "{name}", "say in one line what it finds", Effect.GRAPH_BREAK)


@check({constant}, on=Call)
def {function}(event: Call, facts: TorchFacts) -> Iterator[Finding]:
    """Which events are meant; the example is a call of `print`."""
    if event.name == "builtins.print":
        yield at({constant}, event, "what ends the graph", why="What Dynamo does there.", help="what to write instead")
'''

_TEST = '''\
"""{code} on small programs: what it finds, and what looks like it and is fine."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.lint import lint

PROGRAM = "import torch\\n\\n\\ndef f(x: torch.Tensor):\\n    {{}}\\n    return x\\n"


def codes(folder: Path, line: str) -> set[str]:
    (folder / "m.py").write_text(PROGRAM.format(line), encoding="utf-8")
    return {{one.rule.code for one in lint(Options((str(folder),), torch_version="2.13")).findings}}


@pytest.mark.parametrize("line", [pytest.param("print(x)", id="say what this case is")])
def test_it_is_found(tmp_path: Path, line: str) -> None:
    assert "{code}" in codes(tmp_path, line)


@pytest.mark.parametrize("line", [pytest.param("x = x + 1", id="say why this is fine")])
def test_it_is_not_found(tmp_path: Path, line: str) -> None:
    assert "{code}" not in codes(tmp_path, line)
'''


def scaffold(code: str, name: str, root: str) -> list[str]:
    """Write the files below `root`, a clone, and give their paths. Raises UsageError; nothing is overwritten."""
    from compilelint import checks
    from compilelint.config import UsageError

    where = "compilelint dev new-rule"
    if not _CODE.fullmatch(code):
        raise UsageError(
            f"{code!r} is not a rule code", where, "write CL and three digits, the first its family: CL612"
        )
    if not NAME.fullmatch(name):
        raise UsageError(f"{name!r} is not a rule name", where, "write what it finds in kebab-case: branch-on-tensor")
    rules = checks.rulebook().rules
    if any(one.code == code for one in rules):
        free = next(f"{code[:3]}{n:02}" for n in range(100) if all(one.code != f"{code[:3]}{n:02}" for one in rules))
        raise UsageError(f"{code} is taken", where, f"codes never change meaning; {free} is free")
    if any(one.name == name for one in rules):
        raise UsageError(f"a rule is called {name} already", where, "give it another name")
    top = Path(root)
    if not (top / "rules").is_dir() or not (top / "src" / "compilelint" / "checks").is_dir():
        raise UsageError(
            f"{root} is not a clone of compilelint", where, "run it in the repository, or name it: --root PATH"
        )
    module = name.replace("-", "_")
    words = {"code": code, "name": name, "module": module, "function": module, "constant": module.upper()}
    files = {
        top / "rules" / f"{code}-{name}.md": _PAGE,
        top / "src" / "compilelint" / "checks" / f"{module}.py": _CHECK,
        top / "tests" / "checks" / f"test_{module}.py": _TEST,
    }
    for path in files:
        if path.exists():
            raise UsageError(f"{path} exists", where, "move it away, or choose another name")
    for path, template in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(template.format(**words), encoding="utf-8")
    return [path.resolve().as_posix() for path in files]
