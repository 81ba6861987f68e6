"""What may be done to a tree: an attack changes a repository, and a program that it starts leaves a mark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.security.hostile import BREAKS, SECRET, git

Attack = Callable[[Path, Path], object]
"""What is done to a repository; the second path is a mark that a program would leave."""

PROGRAM = "#!/bin/sh\ntouch MARK\ncat\n"


def attacked_tree(folder: Path) -> Path:
    """A repository of one commit with a finding that is newer; beside it a secret and a file that must stay."""
    tree = folder / "tree"
    tree.mkdir()
    git(tree, "init", "-q", "-b", "main")
    (tree / "net.py").write_text("x = 1\n", encoding="utf-8")
    git(tree, "add", ".")
    git(tree, "commit", "-qm", "one")
    (tree / "net.py").write_text(BREAKS, encoding="utf-8")
    outside = folder / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text(f"{SECRET}\n", encoding="utf-8")
    (outside / "kept").write_text("kept\n", encoding="utf-8")
    return tree


def program(mark: Path) -> str:
    """The path of a program beside the tree that leaves the mark."""
    path = mark.parent / "program.sh"
    path.write_text(PROGRAM.replace("MARK", str(mark)), encoding="utf-8")
    path.chmod(0o755)
    return str(path)


def configured(text: str) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        with (tree / ".git" / "config").open("a", encoding="utf-8") as opened:
            opened.write(text.replace("PROGRAM", program(mark)).replace("TREE", str(tree)))

    return attack


def written(name: str, text: str) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("PROGRAM", program(mark)).replace("TREE", str(tree)), encoding="utf-8")

    return attack


def both(*attacks: Attack) -> Attack:
    def attack(tree: Path, mark: Path) -> None:
        for one in attacks:
            one(tree, mark)

    return attack
