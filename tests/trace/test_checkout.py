"""A job's lines in the checkout: by the end of the path, by the text of the line, and never by guessing."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.trace.checkout import Checkout, Here

BODY = "import torch\n\n\ndef forward(x):\n    if x.sum() > 0:\n        return x\n    return -x\n"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in ("src/net/model.py", "src/other/model.py", "train.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(BODY)
    return tmp_path


def test_the_longest_common_end_decides(tree: Path) -> None:
    found = Checkout(str(tree)).place("/workspace/run7/src/net/model.py", 5, "if x.sum() > 0:")
    assert found == Here(str(tree / "src/net/model.py"), 5, "same")


def test_a_line_that_moved_is_found_by_its_text(tree: Path) -> None:
    (tree / "train.py").write_text("# a line more\n" + BODY)
    assert Checkout(str(tree)).place("/w/train.py", 5, "if x.sum() > 0:") == Here(str(tree / "train.py"), 6, "moved")


def test_a_line_that_reads_otherwise_is_said_to(tree: Path) -> None:
    assert Checkout(str(tree)).place("/w/train.py", 5, "if x.mean() > 0:").match == "changed"


def test_of_two_files_that_fit_the_one_that_reads_so_is_taken(tree: Path) -> None:
    (tree / "src/other/model.py").write_text("pass\n")
    found = Checkout(str(tree)).place("/w/model.py", 5, "if x.sum() > 0:")
    assert (found.path, found.match) == (str(tree / "src/net/model.py"), "same")


def test_two_files_that_fit_alike_are_ambiguous(tree: Path) -> None:
    assert Checkout(str(tree)).place("/w/model.py", 5, "if x.sum() > 0:") == Here("", 5, "ambiguous")


@pytest.mark.parametrize(
    "path",
    ["/w/absent.py", "/venv/lib/python3.11/site-packages/train.py", "", "<string>", "/"],
    ids=["no such file", "of an installed package", "no path", "not a file", "the root"],
)
def test_what_is_not_here_is_elsewhere(tree: Path, path: str) -> None:
    assert Checkout(str(tree)).place(path, 5).match == "elsewhere"


def test_a_frame_is_found_by_where_its_function_begins(tree: Path) -> None:
    (tree / "train.py").write_text("import torch\n\n\n\n\n@torch.compile\ndef forward(x):\n    return x\n")
    assert Checkout(str(tree)).place("/w/train.py", 4, "", "forward") == Here(str(tree / "train.py"), 6, "moved")


def test_files_of_environments_and_hidden_folders_are_not_the_projects(tree: Path) -> None:
    for name in (".venv/lib/absent.py", "env/lib/absent.py", "node_modules/absent.py"):
        (tree / name).parent.mkdir(parents=True)
        (tree / name).write_text(BODY)
    (tree / "env/pyvenv.cfg").write_text("")
    assert Checkout(str(tree)).place("/w/absent.py", 5).match == "elsewhere"


def test_a_link_out_of_the_tree_is_not_followed(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "absent.py").write_text(BODY)
    (tree / "linked").symlink_to(outside)
    assert Checkout(str(tree)).place("/w/absent.py", 5).match == "elsewhere"
