"""The command line: the only place that prints, exits or reads argv; a file a command.

Everything but click is imported where it is needed, so that `--help` answers at once. Exit codes: 0 nothing at or above
`--fail-on`, 1 findings, 2 a request that cannot be carried out or a defect of compilelint itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import NoReturn

import click

from compilelint import __version__
from compilelint.cli.streams import guard_streams, without_foreign_folders
from compilelint.cli.terminal import CONTEXT, FAILURE, FINDINGS, INTERRUPTED, OK, say

GROUPS = {
    "Everyday": ("check", "why", "fix", "prove", "verify", "report", "roots", "rule"),
    "Evidence": ("trace", "bench", "reproduce"),
    "Editor and agents": ("server", "mcp"),
    "Fleet": ("board", "score", "facts"),
    "Maintain": ("config", "init", "cache", "completion", "dev"),
}
"""The commands under the headings of `--help`, in its order."""


class Commands(Mapping[str, click.Command]):
    """The commands by name, each imported when it is asked for: no run needs two of them.

    `check` is the function of that name in the module of that name.
    """

    _names = tuple(name for names in GROUPS.values() for name in names)

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._names:
            raise KeyError(name)
        found: click.Command = getattr(importlib.import_module(f"compilelint.cli.{name}"), name)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


class DefaultGroup(click.Group):
    """`compilelint src` is `compilelint check src`; a folder called like a command is named as `./rule`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = (*self.commands, "--help", "-h", "--version")
        self._refuse_files_that_are_options(ctx, args)
        if args and args[0] not in own:
            self._refuse_unknown_word(ctx, args[0])
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands under their headings, all in one column."""
        widest = max(map(len, self.commands))
        for heading, names in GROUPS.items():
            with formatter.section(heading):
                room = formatter.width - formatter.current_indent - widest - 2
                formatter.write_dl(
                    [(name.ljust(widest), self.commands[name].get_short_help_str(room)) for name in names]
                )

    def _refuse_files_that_are_options(self, ctx: click.Context, args: Sequence[str]) -> None:
        """A file called `--exclude=*.py` that a hook or a glob puts among the words must not become an option."""
        for word in args if not ctx.resilient_parsing else ():
            if word == "--":
                return
            if word[:1] == "-" and len(word) > 1 and os.path.lexists(word):
                what = f"{word} is a file here and would be read as an option"
                hint = f"write ./{word} for the file, or put `--` before the paths"
                raise click.ClickException(f"{what} (compilelint); {hint}")

    def _refuse_unknown_word(self, ctx: click.Context, word: str) -> None:
        """A bare word that is no path was meant as a command."""
        if ctx.resilient_parsing or not word.replace("-", "").isalpha() or os.path.lexists(word) or word[0] == "-":
            return
        import difflib

        close = difflib.get_close_matches(word, self.commands, n=1)
        hint = f"did you mean `{close[0]}`?" if close else "commands are " + ", ".join(self.commands)
        raise click.ClickException(f"no such command, file or folder: {word} (compilelint); {hint}")


@click.group(cls=DefaultGroup, context_settings=CONTEXT, no_args_is_help=False, invoke_without_command=True)
@click.version_option(__version__, message="compilelint %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Find the lines of PyTorch code that break torch.compile, slow it down or give wrong results.

    Begin with `compilelint .`, which is short for `compilelint check .`: it names each line, says why, and what to
    write instead. torch is not imported, and no linted code is run. `check --diff` shows what can be fixed; only
    `verify`, `fix`, `prove` and `bench` run your code, under TorchDynamo.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


app.commands = Commands()  # type: ignore[assignment]  # click only reads it


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """Run a command line and exit."""
    sys.excepthook = _defect
    gc.disable()  # the process ends soon: looking for garbage among millions of live objects only costs
    guard_streams()
    sys.path[:] = without_foreign_folders(sys.path)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        code = run(list(sys.argv[1:] if argv is None else argv))
    except (KeyboardInterrupt, RuntimeError) as error:
        if not _interrupts(error):
            raise
        click.echo("compilelint: interrupted", err=True)
        code = INTERRUPTED
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # its reader may have closed it
            stream.flush()
    os._exit(code)  # giving back the memory of a large project piece by piece takes a tenth of the run


def _interrupts(error: BaseException | None) -> bool:
    """Whether Ctrl-C is behind an error: before 3.12 what interrupts `__set_name__` comes as a RuntimeError."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None


def run(argv: list[str]) -> int:
    """The exit code of a command line; what is wrong with the request is one line on stderr."""
    try:
        code = app.main(argv, prog_name="compilelint", standalone_mode=False)
        if not sys.stdout.closed:  # by what spoke a protocol over it
            sys.stdout.flush()
    except click.ClickException as error:
        return _failed(_one_line(error, argv))
    except click.Abort:
        click.echo("compilelint: interrupted", err=True)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough (`| head`); keep the interpreter from flushing into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINDINGS
    except OSError as error:
        if error.filename is not None:  # of a file, which is named in words where it is opened: a defect of ours
            raise
        return _failed(f"cannot write to standard output: {(error.strerror or str(error)).lower()}")
    except (MemoryError, RuntimeError, SystemError) as error:
        if not _lacks_memory(error):
            raise
        words = "not enough memory; lint fewer files at a time, or raise the limit (ulimit -v)"
        click.echo(f"compilelint: error: {words}", err=True)  # `say` would import more
        return FAILURE
    return code if isinstance(code, int) else OK


def _lacks_memory(error: BaseException) -> bool:
    """Whether memory ran out: no thread starts and no lock is made without it, and C code may fail without saying why.

    The latter counts only where memory is limited.
    """
    if isinstance(error, SystemError):
        return str(error).endswith(_UNEXPLAINED) and _is_memory_limited()
    return isinstance(error, MemoryError) or str(error).startswith(("can't start new thread", "can't allocate"))


def _is_memory_limited() -> bool:
    try:
        import resource
    except ImportError:  # Windows
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _failed(words: str) -> int:
    say(f"error: {words}")
    return FAILURE


def _one_line(error: click.ClickException, argv: Sequence[str]) -> str:
    """`what (where); hint`; what click itself refuses gets the command as its place."""
    text = " ".join(error.format_message().split()).rstrip(".")
    if not isinstance(error, click.UsageError):
        return text
    command = error.ctx.command_path if error.ctx is not None else _named_command(argv)
    for theirs, ours in _IN_WORDS.items():
        text = text.replace(theirs, ours)
    hint = f"see `{command} --help`"
    if isinstance(error, click.NoSuchOption):
        text = f"no such option {error.option_name}"
        hint = f"did you mean {' or '.join(error.possibilities)}?" if error.possibilities else hint
    return f"{text[:1].lower()}{text[1:]} ({command}); {hint}"


# What Python says where its C code failed and did not set an exception.
_UNEXPLAINED = ("without exception set", "without setting an exception")

# What click says of numbers, and what it means.
_IN_WORDS = {
    "is not a valid integer range": "is not an integer",
    "is not a valid integer": "is not an integer",
    "is not a valid float range": "is not a number",
}


def _named_command(argv: Sequence[str]) -> str:
    """The command that was named: click's parser of options does not know whose they are."""
    group: click.Command = app
    names = ["compilelint"]
    for word in argv:
        found = group.commands.get(word) if isinstance(group, click.Group) else None
        if found is None:
            break
        names.append(word)
        group = found
    return " ".join(names if len(names) > 1 else [*names, "check"])


def _defect(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The hook for unforeseen exceptions: the traceback, one line, and exit code 2, since 1 means findings."""
    import traceback

    from compilelint.report.layout.text import escaped

    text = "".join(traceback.format_exception(kind, error, trace))
    click.echo("\n".join(map(escaped, text.rstrip("\n").split("\n"))), err=True)
    say("error: this is a defect of compilelint (above); please report it")
    raise SystemExit(FAILURE)
