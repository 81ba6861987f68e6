"""Classes that code runs on when they are made: what their methods are then, and what real Dynamo says of it.

Each program has a `Net` whose compiled call breaks on the lines that say so, and on no others; what was replaced is
no more than possible.
"""

from __future__ import annotations

import importlib.util
import re
import sys
import textwrap
from pathlib import Path

import pytest

from tests.support import reveal
from tests.support.worker_messages import check

# What compiled code meets is written below each: a class `Part`, and a `Net` that calls one.
NET = """

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def forward(self, x: Tensor):
        return self.part(x)
"""

PROGRAMS = {
    "a decorator puts another forward there, which never calls the one that is written": """
        def switched(cls):
            def forward(self, x):
                return x + 1
            cls.forward = forward
            return cls

        @switched
        class Part(nn.Module):
            def forward(self, x: Tensor):
                if x.sum() > 0:  # branch if possible
                    return x
                return -x
    """,
    "a decorator with arguments, and what its forward calls": """
        def switched(cls=None, *, negate=False):
            def wrapper(cls):
                original_init, original = cls.__init__, cls.forward

                @functools.wraps(original_init)
                def __init__(self, *args, **kwargs):
                    original_init(self, *args, **kwargs)
                    self.negate = negate

                @functools.wraps(original)
                def forward(self, *args, **kwargs):
                    out = original(self, *args, **kwargs)
                    return -out if self.negate else out

                cls.__init__ = __init__
                cls.forward = forward
                return cls
            return wrapper if cls is None else wrapper(cls)

        @switched(negate=True)
        class Part(nn.Module):
            def forward(self, x: Tensor):
                if x.sum() > 0:  # branch if
                    return x
                return -x
    """,
    "a hook of the base class wraps the forward of each class below": """
        class Base(nn.Module):
            def __init_subclass__(cls, **kwargs):
                super().__init_subclass__(**kwargs)
                forward = cls.forward

                @functools.wraps(forward)
                def wrapped(self, *args, **kwargs):
                    return forward(self, *args, **kwargs) + 1

                cls.forward = wrapped

        class Part(Base):
            def forward(self, x: Tensor):
                if x.sum() > 0:  # branch if
                    return x
                return -x
    """,
    "a hook of the base class takes the forward of the class away": """
        class Base(nn.Module):
            def __init_subclass__(cls, **kwargs):
                super().__init_subclass__(**kwargs)
                setattr(cls, "forward", Base.safe)

            def safe(self, x: Tensor):
                return x * 2

        class Part(Base):
            def forward(self, x: Tensor):
                if x.sum() > 0:  # branch if possible
                    return x
                return -x
    """,
    "a decorator gives back a class that derives from the one it was given": """
        def checked(cls):
            class Checked(cls):
                def forward(self, x):
                    out = super().forward(x)
                    if out.sum() > 0:  # branch if likely; branch if
                        return out
                    return x
            return Checked

        @checked
        class Other(nn.Module):
            def forward(self, x: Tensor):
                return x

        @checked
        class Part(nn.Module):
            def forward(self, x: Tensor):
                if x.mean() > 0:  # branch if likely; branch if
                    return x + 1
                return x
    """,
    "a decorator that only registers the class, and one that writes its docstring": """
        TABLE = {}

        def register(name):
            def put(cls):
                TABLE[name] = cls
                return cls
            return put

        def described(cls):
            cls.__doc__ = "a part"
            return cls

        @register("part")
        @described
        class Part(nn.Module):
            def forward(self, x: Tensor):
                if x.sum() > 0:  # branch if
                    return x
                return -x
    """,
    "a decorator puts a method there that the class calls": """
        def with_gate(cls):
            if not hasattr(cls, "gate"):
                cls.gate = lambda self, x: x.sum() > 0
            return cls

        @with_gate
        class Part(nn.Module):
            def forward(self, x: Tensor):
                if self.gate(x):  # branch if
                    return x
                return -x
    """,
    "two decorators, of which the outer one is given what the inner one has left": """
        def first(cls):
            def forward(self, x):
                return x + 1
            cls.forward = forward
            return cls

        def second(cls):
            inner = cls.forward
            def forward(self, x):
                y = inner(self, x)
                if y.sum() > 0:  # branch if possible; branch if
                    return y
                return x
            cls.forward = forward
            return cls

        @second
        @first
        class Part(nn.Module):
            def forward(self, x: Tensor):
                if x.sum() > 0:  # branch if possible
                    return x
                return -x
    """,
    "a class below a decorated one calls what was put there": """
        def switched(cls):
            def forward(self, x):
                return x + 1
            cls.forward = forward
            return cls

        @switched
        class Above(nn.Module):
            def forward(self, x: Tensor):
                if x.sum() > 0:  # branch if possible
                    return x
                return -x

        class Part(Above):
            def forward(self, x: Tensor):
                y = super().forward(x)
                if y.sum() > 0:  # branch if
                    return y
                return x
    """,
}


@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_what_stands_on_the_class_is_what_runs(text: str) -> None:
    check(textwrap.dedent(text) + NET)


@pytest.mark.dynamo
@pytest.mark.parametrize("text", [pytest.param(text, id=name) for name, text in PROGRAMS.items()])
def test_dynamo_says_the_same(text: str, tmp_path: Path) -> None:
    import torch

    whole = reveal.PRELUDE + textwrap.dedent(text) + NET
    path = tmp_path / "reworked_program.py"
    path.write_text(whole, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("reworked_program", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["reworked_program"] = module
    try:
        spec.loader.exec_module(module)
        torch._dynamo.reset()
        broken = torch._dynamo.explain(module.Net())(torch.ones(3)).break_reasons
    finally:
        del sys.modules["reworked_program"]
    stated = {number for number, line in enumerate(whole.splitlines(), 1) if re.search(r"  # .*branch if$", line)}
    assert {frame.lineno for one in broken for frame in one.user_stack[-1:]} == stated


def test_below_a_decorator_that_is_not_followed_nothing_is_certain() -> None:
    check(
        """
        from elsewhere import register

        @register
        class Part(nn.Module):
            def forward(self, x: Tensor):
                if x.sum() > 0:  # branch if likely
                    return x
                return -x
        """
    )


def test_what_a_decorator_of_another_file_does_counts() -> None:
    lib = textwrap.dedent(PROGRAMS["a hook of the base class wraps the forward of each class below"]).partition(
        "class Part"
    )[0]
    check(
        {
            "lib.py": lib,
            "app.py": """
        from lib import Base

        class Part(Base):
            def forward(self, x: Tensor):
                if x.sum() > 0:  # branch if
                    return x
                return -x
            """,
        },
        unlinted=("lib.py",),
    )


def test_attributes_that_a_put_constructor_stores_are_known() -> None:
    reveal.check(
        """
        def sized(cls):
            original = cls.__init__
            def __init__(self, size):
                original(self)
                self.size = 3
                self.layer = nn.Linear(3, 3)
            cls.__init__ = __init__
            return cls

        @sized
        class Part(nn.Module):
            def __init__(self):
                super().__init__()
                self.rate = 0.5

            def forward(self, x: Tensor):
                reveal_type(self.size)  # int
                reveal_type(self.rate)  # float
                reveal_type(self.layer(x))  # tensor float computed
                return x
        """
    )
