"""What looks like an entry point and was not judged: what user code calls as it calls a model, and no eager helper."""

from __future__ import annotations

import pytest

from compilelint.interp.driver.entry_points import entries_left
from tests.support.reveal import Files, program_of, sources


def entries(files: Files) -> list[str]:
    """The names of the entries of a program of which nothing was reached."""
    program, modules = program_of(sources(files))
    return [function.node.qualname for function in entries_left(program, modules, lambda function: False)]


def test_a_forward_and_what_works_on_tensors() -> None:
    assert entries("""
        class Net(nn.Module):
            def forward(self, x):
                return x

        def blend(a: Tensor, b: Tensor):
            return a.view(-1) + b
    """) == ["blend", "Net.forward"]


def test_a_method_of_a_module_that_hands_back_what_it_reads_is_called_like_a_model() -> None:
    assert entries("""
        class Net(nn.Module):
            def generate(self, x: Tensor):
                while x.shape[1] < 10:
                    x = torch.cat([x, self.step(x)], 1)
                return x.tolist()
    """) == ["Net.generate"]


def test_so_is_one_that_yields_piece_by_piece() -> None:
    assert entries("""
        class Net(nn.Module):
            def stream(self, x: Tensor):
                for _ in range(10):
                    x = torch.cat([x, self.step(x)], 1)
                    yield x.tolist()
    """) == ["Net.stream"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            "def plot(x: Tensor):\n    import matplotlib.pyplot as plt\n    plt.savefig('a.png')\n    return x.item()",
            id="hands a plain number back",
        ),
        pytest.param("def load(x: Tensor):\n    y = torch.load('a')\n    return x + y", id="reads a file"),
        pytest.param(
            "class Net(nn.Module):\n    def init(self, x: Tensor):\n        self.w = torch.save(x.view(-1), 'a')",
            id="prepares its module",
        ),
        pytest.param("def _inner(x: Tensor):\n    return x.view(-1)", id="private"),
    ],
)
def test_what_only_eager_code_needs_is_none(text: str) -> None:
    assert entries(text) == []


def test_what_lies_in_a_test_is_none() -> None:
    assert entries({"tests/test_net.py": "def close(a: Tensor, b: Tensor):\n    return (a.view(-1) - b).abs()"}) == []


def test_what_was_reached_is_no_entry_that_is_left() -> None:
    text = "def blend(a: Tensor, b: Tensor):\n    return a.view(-1) + b"
    program, modules = program_of(sources(text))
    assert list(entries_left(program, modules, lambda function: True)) == []


def test_a_body_that_is_not_compiled_is_none() -> None:
    body = "def blend(a: Tensor, b: Tensor):\n    return a.view(-1) + b"
    assert entries(body) == ["blend"]
    assert entries(f"@torch.compiler.disable\n{body}") == []
