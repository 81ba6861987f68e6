"""`compilelint completion`: the script that teaches a shell our commands, options and rules."""

from __future__ import annotations

import click

from compilelint.cli.terminal import CONTEXT

_WHERE = {
    "bash": "# compilelint completion bash >> ~/.bashrc",
    "zsh": "# compilelint completion zsh >> ~/.zshrc",
    "fish": "# compilelint completion fish > ~/.config/fish/completions/compilelint.fish",
}


@click.command(context_settings=CONTEXT)
@click.argument("shell", type=click.Choice(list(_WHERE)), metavar="SHELL")
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script for SHELL (bash, zsh, fish).

    Its first line says where it goes.
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    script = found(ctx.find_root().command, {}, "compilelint", "_COMPILELINT_COMPLETE") if found else None
    if script is None:
        raise click.UsageError(f"no completion for {shell} in this version of click; upgrade click")
    click.echo(_WHERE[shell])
    click.echo(script.source_template % script.source_vars())
