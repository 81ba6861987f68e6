"""Factories as they are written from small projects: each shows one place where code says how a model is built."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from compilelint.session.building.candidates import Candidate
from compilelint.session.commands.init import models_in, ways_in

NET = """\
from torch import nn


class Net(nn.Module):
    def __init__(self, width, depth=2):
        super().__init__()
        self.layer = nn.Linear(width, depth)

    def forward(self, x, mask=None):
        return self.layer(x)
"""
CONFIGURED = """\
from torch import nn


class Net(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.layer = nn.Linear(args.width, args.depth)

    def forward(self, x):
        return self.layer(x)
"""


def first(folder: Path, files: dict[str, str]) -> Candidate:
    """The first factory for the one model of a project."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    (model,), _ = models_in(str(folder))
    found = ways_in(str(folder), [model])[model]
    for one in found:
        ast.parse(one.text("make"))
    return found[0]


PROGRAMS = {
    "an example of a document, with its inputs": (
        {
            "net.py": NET,
            "README.md": """\
            ```python
            import torch
            from net import Net

            net = Net(width=8)
            x = torch.randn(2, 8)
            y = net(x, mask=None)
            ```
            """,
        },
        """\
        import torch
        from net import Net

        x = torch.randn(2, 8)
        model = Net(width=8)
        return model, (x,), {'mask': None}
        """,
    ),
    "a test, with its first case": (
        {
            "net.py": NET,
            "tests/test_net.py": """\
            import pytest
            import torch
            from net import Net

            @pytest.mark.parametrize("width", [4, 8])
            def test_net(width):
                net = Net(width)
                assert net(torch.ones(2, width)).shape == (2, 2)
            """,
        },
        """\
        import torch
        from net import Net

        width = 4
        model = Net(width)
        return model, (torch.ones(2, width),)
        """,
    ),
    "options of a parser that the model is given": (
        {
            "net.py": NET,
            "train.py": """\
            import argparse
            from net import Net

            parser = argparse.ArgumentParser()
            parser.add_argument("--width", type=int, default=8)
            parser.add_argument("--lr", type=float, default=0.1)
            args = parser.parse_args()
            args.lr = args.lr * 2
            net = Net(args.width).cuda()
            """,
        },
        """\
        from net import Net
        from types import SimpleNamespace

        args = SimpleNamespace(width=8)
        return Net(args.width)
        """,
    ),
    "all options that the model reads, where it takes them as a whole": (
        {
            "net.py": CONFIGURED,
            "train.py": """\
            import argparse
            from net import Net

            def options():
                parser = argparse.ArgumentParser()
                parser.add_argument("--width", type=int, default=8)
                parser.add_argument("--depth", type=int, required=True)
                parser.add_argument("--lr", type=float, default=0.1)
                return parser.parse_args()

            def main(args):
                return Net(args).to(args.device)

            if __name__ == "__main__":
                main(options())
            """,
        },
        """\
        from net import Net
        from types import SimpleNamespace

        args = SimpleNamespace(width=8, depth=1)
        return Net(args)
        """,
    ),
    "a configuration that is changed before it is handed on": (
        {
            "net.py": CONFIGURED + "\n\nclass Config:\n    width = 4\n    depth = 2\n",
            "main.py": """\
            from net import Config, Net

            config = Config()
            config.width = 16
            net = Net(config)
            """,
        },
        """\
        from net import Config
        from net import Net

        config = Config()
        config.width = 16
        return Net(config)
        """,
    ),
    "a call in a function that returns the model": (
        {"net.py": NET + "\n\ndef small():\n    return Net(8)\n", "use.py": "from net import small\nnet = small()\n"},
        """\
        from net import Net

        return Net(8)
        """,
    ),
    "data of a loader is replaced by a guess": (
        {
            "net.py": NET,
            "train.py": """\
            from net import Net
            from data import features

            for batch in features():
                net = Net(batch.shape[1], depth=3)
            """,
        },
        """\
        from net import Net

        return Net(64, depth=3)
        """,
    ),
    "a file of settings beside the code": (
        {"net.py": NET, "config.yaml": "model:\n  width: 24  # of a layer\n"},
        """\
        from net import Net

        return Net(width=24)
        """,
    ),
}


@pytest.mark.parametrize(("files", "body"), PROGRAMS.values(), ids=PROGRAMS)
def test_the_first_factory_to_try(files: dict[str, str], body: str, tmp_path: Path) -> None:
    assert first(tmp_path, files).body == textwrap.dedent(body).rstrip("\n")


def test_a_factory_says_where_it_was_found_and_what_is_a_guess(tmp_path: Path) -> None:
    files = {"net.py": NET, "train.py": "from net import Net\nfor width in ():\n    net = Net(width)\n"}
    text = first(tmp_path, files).text("net")
    assert text.startswith('def net():\n    """As in train.py:3; guesses: width."""\n    from net import Net\n')


def test_a_class_that_makes_a_copy_of_itself_is_no_example(tmp_path: Path) -> None:
    own = NET + "\n    def wider(self):\n        return Net(self.width * 2)\n"
    assert first(tmp_path, {"net.py": own}).shown_in == "By what the project's settings say"


def test_another_class_of_the_same_name_is_no_example(tmp_path: Path) -> None:
    other = "class Net:\n    def __init__(self, width): ...\n"
    files = {"net.py": NET, "other.py": other, "train.py": "from other import Net\nnet = Net(7)\n"}
    assert first(tmp_path, files).shown_in == "By what the project's settings say"


def test_a_script_imports_from_its_own_folder(tmp_path: Path) -> None:
    found = first(tmp_path, {"python/net.py": NET, "python/main.py": "from net import Net\nnet = Net(8)\n"})
    assert (found.body, found.folders) == ("from net import Net\n\nreturn Net(8)", ("python",))
