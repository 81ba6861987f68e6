"""Says whether the tests of a file see that something else stands in it: its mirrored tests, then those of its folder.

Two processes import from one copy of the repository, one of them with the source imported already (`warm.py`); the
tests run in forks of them.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection
from pathlib import Path

from benchmarks.faults.warm import Warm, passes, prepare, written

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path("src", "compilelint")
NOT_COPIED = shutil.ignore_patterns(".git", ".venv*", ".*_cache", "benchmark-cache", ".hypothesis", "__pycache__")
_SECONDS = 300.0


def mirrored(path: str, root: Path) -> list[str]:
    """The test files named after a source file: `test_calls.py`, `test_calls_doubts.py` for `calls.py`."""
    folder, stem = root / "tests" / Path(path).parent, Path(path).stem
    names = {*folder.glob(f"test_{stem}.py"), *folder.glob(f"test_{stem}_*.py")}
    return sorted(name.relative_to(root).as_posix() for name in names)


def folder_of(path: str) -> str:
    """The test folder of the same name."""
    return f"tests/{Path(path).parts[0]}"


def _serve(connection: Connection, copy: Path, warm: bool) -> None:
    """In a process of its own: answer whether tests pass with a mutant."""
    prepare(copy)
    source = Warm(copy) if warm else None
    while True:
        path, text, mutated, tests, real = connection.recv()

        def exchange(path: Path = path, text: bytes = text, mutated: bytes = mutated) -> bool:
            return source is None or source.exchange(path, text, mutated)

        connection.send(passes(tests, exchange, _SECONDS, real=real))


class Jury:
    """Two processes that import from one copy of the repository: with the source imported already, and without."""

    def __init__(self, copy: Path) -> None:
        self._copy = copy
        forking = multiprocessing.get_context("fork")
        self._asked: dict[bool, Connection] = {}
        for warm in (False, True):
            self._asked[warm], other = forking.Pipe()
            forking.Process(target=_serve, args=(other, copy, warm), daemon=True).start()

    def passes_unchanged(self, folder: str) -> bool:
        """Whether the tests of a folder pass as the source is."""
        return self._pass(self._copy / SOURCE / "__init__.py", b"", b"", [folder])

    def survives(
        self, name: str, mutated: bytes, steps: Sequence[Sequence[str]] | None = None, *, real: bool = False
    ) -> bool:
        """Whether tests pass with another text in a source file: of each step, else the mirrored and then the folder's.

        `real`: those that run the real TorchDynamo too, in a process that has imported nothing.
        """
        path = self._copy / SOURCE / name
        text = path.read_bytes()
        with written(path, mutated):
            for tests in steps if steps is not None else (mirrored(name, self._copy), [folder_of(name)]):
                if tests and not self._pass(path, text, mutated, tests, real=real):
                    return False
        return True

    def _pass(self, path: Path, text: bytes, mutated: bytes, tests: Sequence[str], *, real: bool = False) -> bool:
        answer: bool | None = None
        question = (path, text, mutated, tests, real)
        for warm in (False,) if real else (True, False):
            if answer is None:
                self._asked[warm].send(question)
                answer = self._asked[warm].recv()
        return bool(answer)


@contextlib.contextmanager
def jury(folders: set[str]) -> Iterator[Jury]:
    """A jury over a copy of the repository as it is. Raises RuntimeError where the tests of a folder fail anyway."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as temporary:
        copy = Path(temporary, "copy")
        shutil.copytree(ROOT, copy, ignore=NOT_COPIED, symlinks=True)
        made = Jury(copy)
        for folder in sorted(folders):
            if not made.passes_unchanged(folder):
                raise RuntimeError(f"{folder} fails without any mutation")
        yield made
