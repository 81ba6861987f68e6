"""The case of `benchmarks.doors` that opens documents in an editor: the densest that are read, and larger ones."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.doors_case import Facts, NotRunError, peak_of

MOST_MEGABYTES = 400
_EDITS = 3
_PATIENCE = 600.0
_HEAD = "import torch\n"
_MOST = 4_900_000  # characters: 5 MB are refused

# Documents near the bound of words, each dense in another way, and some beyond it.
DOCUMENTS: dict[str, Callable[[], str]] = {
    "short lines": lambda: _HEAD + "x = 1\n" * 65_000,
    "names of their own": lambda: _HEAD + "".join(f"x{i} = {i}\n" for i in range(65_000)),
    "lambdas": lambda: _HEAD + "f = lambda a: a\n" * 38_000,
    "lambdas in a list": lambda: _HEAD + "x = [" + "lambda:0," * 80_000 + "]\n",
    "comprehensions": lambda: _HEAD + "x = [a for a in b]\n" * 28_000,
    "calls in calls": lambda: _HEAD + f"x = {'f(' * 80}{')' * 80}\n" * 1_300,
    "one long list": lambda: _HEAD + "x = [" + "1, " * 160_000 + "]\n",
    "functions": lambda: _HEAD + "".join(f"def f{i}(a, b=1): return a\n" for i in range(20_000)),
    "classes": lambda: _HEAD + "".join(f"class C{i}(torch.nn.Module): a: int = 1\n" for i in range(17_000)),
    "compiled functions": lambda: (
        _HEAD + "".join(f"@torch.compile\ndef f{i}(x):\n    return x + {i}\n" for i in range(2_000))
    ),
    "attributes": lambda: _HEAD + "x.a.b.c.d.e.f = y.a.b.c.d\n" * 12_000,
    "f-strings": lambda: _HEAD + "x = f'{a}{b}{c}{d}'\n" * 17_000,
    "one long text": lambda: _HEAD + "x = '" + "a" * _MOST + "'\n",
    "characters beyond Latin": lambda: _HEAD + "x = '" + "\N{SNOWMAN}" * (_MOST // 3) + "\N{PILE OF POO}'\n",
    "remarks": lambda: _HEAD + "# a remark\n" * (_MOST // 11),
    "suppressions": lambda: _HEAD + "x = 1  # compilelint: ignore[CL101]\n" * 24_000,
    "blank lines": lambda: _HEAD + "\n" * _MOST,
    "more words than are read": lambda: _HEAD + "x = 1\n" * 800_000,
    "30 MB": lambda: _HEAD + "x = 1\n" * 5_000_000,
}


def documents(folder: Path, facts: Facts) -> None:
    """The most that a server holds while each of them is opened and edited three times."""
    try:
        from tests.support import editor as editors
    except ImportError as error:
        raise NotRunError(f"it needs the client of the tests: {error}") from error
    editors.PATIENCE = _PATIENCE
    for name, text in DOCUMENTS.items():
        (folder / "open.py").write_text(_HEAD, encoding="utf-8")
        editor = editors.Editor(folder)
        editor.start()
        process = editor.client._server
        assert process is not None
        whole = text()
        editor.open("open.py", whole)
        editor.diagnostics("open.py")
        for number in range(_EDITS):
            editor.replace("open.py", f"{whole}y = {number}\n")
            editor.diagnostics("open.py")
        peak = peak_of(process.pid)
        editor.stop()
        facts.seen(f"{name}: MB", round(peak), peak <= MOST_MEGABYTES)
