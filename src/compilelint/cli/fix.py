"""Fixing from the command line: `check --fix`, `check --diff`, and `compilelint fix`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from compilelint.cli.options import renamed
from compilelint.cli.terminal import CONTEXT, FINDINGS, INTERRUPTED, OK, one_line_errors, say, shown
from compilelint.cli.verify import verify

if TYPE_CHECKING:
    from compilelint.config import Options
    from compilelint.report.report import Report
    from compilelint.session.commands.fix import Fixed
    from compilelint.session.fixing.explain import Made
    from compilelint.session.fixing.prove import Entry


_MOST_FILES = 3


class Leave(NamedTuple):
    """What fixing may do beyond what changes no result: fixes that may, and switches of the whole process.

    `everywhere` lets it change functions too that no linted code compiles.
    """

    unsafe: bool
    configure: bool
    everywhere: bool = False

    @property
    def options(self) -> str:
        """The options that give it, each with a space before it."""
        return " --unsafe-fixes" * self.unsafe + " --allow-config" * self.configure + " --all" * self.everywhere


def diffed(options: Options, leave: Leave, explained: bool = False) -> bool:
    """Print what fixing would change, write nothing; whether there is anything. Commit messages stand before a diff."""
    from compilelint.session.commands.fix import fix as fix_all
    from compilelint.session.commands.fix import unified

    fixed = fix_all(options, *leave)
    if explained:
        _explain(fixed.made, fixed.report.torch.version)
    click.echo(unified(fixed, shown), nl=False)
    _say_applied(fixed, "would fix", f"; `compilelint check{leave.options} --fix` writes it")
    _say_aside(fixed)
    if not fixed.texts and (left := len(fixed.report.findings) - fixed.aside):
        findings = "1 finding" if left == 1 else f"{left:,} findings"
        more = "" if leave.unsafe else "--unsafe-fixes may show more; "
        say(f"note: no fix to show for {findings}: {more}`compilelint fix TARGET` tries further ones, and runs them")
    return bool(fixed.texts)


def fixed_files(options: Options, leave: Leave, explained: bool = False, for_a_program: bool = False) -> Report:
    """Fix the linted files; the report on what they hold now. Files that were left alone are listed on stderr.

    `explained` prints commit messages, to stderr where a program reads stdout.
    """
    from compilelint.session.commands.fix import fix as fix_all
    from compilelint.session.commands.fix import store
    from compilelint.session.commands.lint import lint

    fixed = fix_all(options, *leave)
    refused = store(fixed, options.paths)
    for path, reason in refused.items():
        say(f"{shown(path)} was not written: {reason}")
    _say_applied(fixed.without(refused), "fixed")
    _say_aside(fixed)
    if explained:
        _explain(fixed.without(refused).made, fixed.report.torch.version, err=for_a_program)
    return lint(options) if refused else fixed.report


def _explain(made: Sequence[Made], torch: str, targets: Sequence[str] = (), err: bool = False) -> None:
    """Print a commit message for each idiom that was rewritten."""
    from compilelint.session.fixing.explain import joined, messages

    click.echo(joined(messages(made, torch, shown, targets)), nl=False, err=err)


def _say_applied(fixed: Fixed, word: str, and_then: str = "") -> None:
    """How many findings were fixed, by rule, in a line on stderr; `and_then` what to do next."""
    total = sum(fixed.applied.values())
    if total:
        by_rule = ", ".join(f"{count} {code}" for code, count in sorted(fixed.applied.items()))
        files = len(fixed.texts)
        line = f"{word} {total} finding{'s' * (total != 1)} in {files} file{'s' * (files != 1)} ({by_rule})"
        say(f"{line}{and_then}")
    if not fixed.settled:
        say(f"fixing still found something to change after {fixed.rounds} rounds; run it again")


def _say_aside(fixed: Fixed) -> None:
    """How many findings were left alone, since nothing is known to compile their functions, and how to ask for them."""
    from compilelint.report.layout.folding import NOT_COMPILED

    if fixed.aside:
        findings = "1 finding" if fixed.aside == 1 else f"{fixed.aside:,} findings"
        where = f"{NOT_COMPILED}, or beside the package,"
        say(f"note: {findings} in {where} left alone: --all, or --roots that names them, tries them too")


@click.command("fix", context_settings=CONTEXT, short_help="Try fixes on targets, and keep what Dynamo proves.")
@click.option("--verify", is_flag=True, hidden=True)  # what is always so was once asked for
@click.option(
    "--allow-config", is_flag=True, help="Also try switches of torch._dynamo.config, which act on the whole process."
)
@click.option(
    "--keep-output",
    is_flag=True,
    help="Compiled code prints and logs too: only fixes that say all of it, in its order.",
)
@click.option("--diff", is_flag=True, help="Print what was kept as a diff, without writing. [default]")
@click.option("--apply", is_flag=True, help="Write the fixes that were kept.")
@click.option("--commit-message", is_flag=True, help="Print a commit message for each idiom that was rewritten.")
@click.option("--explain", is_flag=True, hidden=True)  # what it was called
def fix(**given: Any) -> None:
    """Try fixes on targets, together and one by one, and keep those that TorchDynamo proves.

    Each fix is made in a copy of the current folder. It is kept if a break is gone, no new break or recompile is there,
    outputs, gradients, errors and state equal the original's under many seeds and inputs, in training and evaluation,
    and both sides of every branch that it changes have run. What was not exercised is dropped. THIS RUNS YOUR CODE, in
    processes of its own. The exit code is 1 if something was kept and not written, with --apply also if a target still
    breaks, and if one does not run. Without proof: `compilelint check --fix` or `--diff`.
    """
    with one_line_errors():
        raise click.exceptions.Exit(_fix(given))


_OF_VERIFY = frozenset(
    "targets inputs dynamic_dims mode regions max_breaks max_recompiles timeout memory seeds repeats backend device "
    "fullgraph dynamic changes search python roots config isolated paths "
    "allow_subprocess allow_network allow_writes jobs executor resources".split()
)
fix.params = [*[one for one in verify.params if one.name in _OF_VERIFY], *fix.params]


def _refuse(given: dict[str, Any]) -> None:
    """Raise UsageError for what is meant for `check --fix`: a file is linted, and only a target can be run."""
    from compilelint.config import UsageError

    if given["diff"] and given["apply"]:
        raise UsageError("--diff and --apply contradict each other", "compilelint fix", "choose one")
    for word in given["targets"]:
        if ":" not in word and os.path.exists(word):
            hint = f"name one, as in {os.path.splitext(word)[0].replace(os.sep, '.')}:Model; "
            without = f"`compilelint check --fix {shown(word)}` fixes without a run"
            raise UsageError(f"{shown(word)} is a file or folder, not a target", "compilelint fix", hint + without)


def _fix(given: dict[str, Any]) -> int:
    """Prove, print the ledger, show or write."""
    from dataclasses import replace

    from compilelint.cli import requested as asked
    from compilelint.cli.execution import place_of
    from compilelint.cli.progress import Slow
    from compilelint.cli.verify import settings_of, targets_of
    from compilelint.dynamic.runner import reporting
    from compilelint.session.commands.fix import store, unified
    from compilelint.session.commands.fleet import fleet_at
    from compilelint.session.fixing.left import left
    from compilelint.session.fixing.prove import NO_TARGET, prove, unproven_on

    _refuse(given)
    given = {**given, "no_parity": False, "verbose": False, "purpose": "compile", "cuda_graphs": False}
    options = replace(asked.options(given), paths=given["paths"] or (".",))
    given |= {"resume": None, "journal": False, "cache_dir": None}
    settings = settings_of(given)
    with fleet_at(place_of(given, settings), "compilelint fix", keeps=False) as fleet:
        targets = targets_of(given, options, "compilelint fix")
        with Slow(say, shown=True) as slow, reporting(lambda target, phase: slow.began(target.label, phase)):

            def entered(entry: Entry) -> None:
                for target in targets:
                    slow.done(target.label)
                if entry.reason != NO_TARGET:
                    _print_entry(entry)

            proven = prove(
                options, targets, settings, entered, given["allow_config"], fleet.observe, given["keep_output"]
            )
    kept = sum(entry.kept for entry in proven.ledger)
    switched = sum(entry.kept and entry.fix.configures for entry in proven.ledger)
    added = (
        f", {switched} of them with a switch of Dynamo's configuration, which only hides the break" if switched else ""
    )
    failing = unproven_on(proven.before)
    for line in failing:
        say(line)
    elsewhere = [entry for entry in proven.ledger if entry.reason == NO_TARGET]
    say(f"kept {kept} of {len(proven.ledger) - len(elsewhere)} fixes{added}")
    if elsewhere:
        say(_not_tried(elsewhere))
    for path, reason in proven.refused.items():
        say(f"{shown(path)} {reason}")
    for line in left(proven, shown):
        say(line)
    if renamed(given, "explain", "commit_message"):
        _explain(
            proven.fixed.made, proven.before[0].torch if proven.before else "", [run.target for run in proven.before]
        )
    if not given["apply"]:
        click.echo(unified(proven.fixed, shown), nl=False)
        if proven.interrupted:
            say("interrupted; what was tried until then is above")
            return INTERRUPTED
        return FINDINGS if kept or failing else OK
    refused = store(proven.fixed, options.paths)
    for path, reason in refused.items():
        say(f"{shown(path)} was not written: {reason}")
    if proven.interrupted:
        say("interrupted; what was kept until then is written")
        return INTERRUPTED
    breaks = any(run.own_breaks for run in proven.after)
    return FINDINGS if breaks or refused or failing else OK


def _not_tried(entries: Sequence[Entry]) -> str:
    """One line for the fixes that no target reaches, by file: they lie in all that was linted."""
    files = Counter(shown(entry.finding.location.path) for entry in entries)
    named = ", ".join(f"{path} {number}" for path, number in files.most_common(_MOST_FILES))
    more = f" and {len(files) - _MOST_FILES} more files" if len(files) > _MOST_FILES else ""
    fixes = "fix" if len(entries) == 1 else "fixes"
    return f"not tried: {len(entries)} {fixes} on lines that no target runs ({named}{more})"


def _print_entry(entry: Entry) -> None:
    """A line of the ledger, as soon as it is known."""
    place = f"{shown(entry.finding.location.path)}:{entry.finding.location.span.line}"
    word = "kept" if entry.kept else "dropped"
    say(f"{word}: {place} {entry.finding.rule.code} {entry.fix.title}: {entry.reason}")
