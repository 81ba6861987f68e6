"""What the subcommands do, a file each: lint, verify, fix, bench, init. Nothing here prints or exits."""
