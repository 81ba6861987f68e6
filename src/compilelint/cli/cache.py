"""`compilelint cache`: where results of earlier runs lie, how much they take, and how to be rid of them."""

from __future__ import annotations

import click

from compilelint.cli.terminal import CONTEXT, shown, text

_FOLDER = click.option(
    "--cache-dir", type=text, metavar="PATH", help="As for `check`. [default: the user's cache folder]"
)


@click.group(context_settings=CONTEXT, no_args_is_help=False, invoke_without_command=True)
@click.pass_context
def cache(ctx: click.Context) -> None:
    """Show or clear the cache of earlier runs."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@cache.command("info", context_settings=CONTEXT)
@_FOLDER
def info(cache_dir: str | None) -> None:
    """Show where the cache is and how large it is."""
    from compilelint.cache import MOST_BYTES, store_in

    store = store_in(cache_dir)
    entries = list(store.entries())
    size = sum(one.size for one in entries) / 1e6
    click.echo(
        f"{shown(str(store.folder))}: {len(entries)} entries, {size:.1f} MB of at most {MOST_BYTES / 1e6:.0f} MB"
    )


@cache.command("clean", context_settings=CONTEXT)
@_FOLDER
def clean(cache_dir: str | None) -> None:
    """Delete the entries of the cache; other files in its folder stay."""
    from compilelint.cache import store_in

    store = store_in(cache_dir)
    count, size = store.clean()
    click.echo(f"{shown(str(store.folder))}: {count} entries deleted, {size / 1e6:.1f} MB")
