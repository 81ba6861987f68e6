"""The inputs of one run in one frozen value: what is linted, for which torch, by which rules, and what is reused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from compilelint import checks
from compilelint.config import Options, chosen_rules
from compilelint.interp.core.clock import never
from compilelint.model import Rule
from compilelint.model.slotted import dataclass
from compilelint.project.discovery import Discovery
from compilelint.project.environment import Environment
from compilelint.project.loader import Loader
from compilelint.project.modules import ModuleFinder, project_roots
from compilelint.rulebook import Rulebook
from compilelint.session.pipeline.inputs import Torch, environment_of, files_of, torch_of
from compilelint.session.pipeline.purpose import as_asked

if TYPE_CHECKING:
    from compilelint.interp.driver.explained import LineQuestion
    from compilelint.session.parallel.last import LastOutcomes

Progress: TypeAlias = Callable[[str], object]
"""Called with a few words whenever a long run begins something else."""


def silent(_: str) -> None:
    """The progress of a run that nothing displays."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is settled before the first linted file is read.

    `rules` are those of `book` that were selected. With `fixes`, findings carry theirs. What was read and learnt is
    put into `keep_alive`: a caller about to exit saves the time it takes to free it. `stopped` says whether the
    outcome is still wanted. `last` is what the run before came to, of one who asks again and again. `question` gathers
    how the run came to one line.
    """

    options: Options
    files: Discovery
    environment: Environment
    torch: Torch
    loader: Loader
    book: Rulebook
    rules: tuple[Rule, ...]
    fixes: bool = False
    progress: Progress = silent
    keep_alive: list[object] = field(default_factory=list)
    stopped: Callable[[], bool] = never
    last: LastOutcomes | None = None
    question: LineQuestion | None = None


def run_of(
    options: Options,
    progress: Progress = silent,
    keep_alive: list[object] | None = None,
    fixes: bool = False,
    new: Sequence[str] = (),
    stopped: Callable[[], bool] = never,
) -> Run:
    """Find files, environment and torch for the options. Raises UsageError where they cannot be followed.

    `new` are files that an editor holds and the disk does not, yet; `stopped` ends the run with StoppedError.
    """
    options = as_asked(options)
    book = checks.rulebook(options.packs, options.paths)
    rules = tuple(chosen_rules(book.rules, options))
    files = files_of(options, new)
    environment = environment_of(options, files.roots[0])
    torch = torch_of(options, environment, files.roots[0])
    finder = ModuleFinder(environment, project_roots(files.files))
    loader = Loader(finder, options.follow_imports, torch.facts[-1].known_packages)
    kept = [] if keep_alive is None else keep_alive
    return Run(options, files, environment, torch, loader, book, rules, fixes, progress, kept, stopped)
