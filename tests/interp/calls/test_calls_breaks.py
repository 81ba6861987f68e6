"""Breaks in what is called: summaries charge every caller, and which code a call runs at all."""

from __future__ import annotations

from compilelint.model import Confidence
from tests.support.reveal import run
from tests.support.worker_messages import check


def test_a_known_summary_charges_every_caller() -> None:
    check(
        {
            "app.py": """
                from lib import check

                def f(x: Tensor):
                    check(x)  # call torch.Tensor.item inside lib.py:2

                def g(x: Tensor):
                    for _ in range(2):
                        check(x)  # call torch.Tensor.item in for inside lib.py:2
            """,
            "lib.py": """
                def check(x):
                    x.item()
            """,
        },
        unlinted=("lib",),
    )


def test_a_helper_that_logs_while_running_eagerly_only() -> None:
    check("""
        def warn(text):
            if not torch.compiler.is_compiling():
                print(text)

        def f(x: Tensor):
            warn("x")
    """)


def test_a_function_under_disable_ends_the_graph_at_its_call() -> None:
    check("""
        @torch.compiler.disable
        def outside(x):
            return x.item()

        def f(x: Tensor):
            outside(x)  # call torch.compiler.disable
    """)


def test_a_constructor_is_code_only_where_it_runs_in_the_region() -> None:
    check("""
        class Loss:
            def __init__(self, x):
                self.scale = x.item()  # call torch.Tensor.item

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.n = torch.zeros(3).sum().item()

            def forward(self, x: Tensor):
                return Loss(x)
    """)


def test_a_property_a_wrapper_and_a_callback_are_code_too() -> None:
    check("""
        def logged(function):
            def wrapper(self, x):
                print("before")  # call builtins.print
                return function(self, x)
            return wrapper

        class Net(nn.Module):
            @property
            def size(self):
                return torch.zeros(3).sum().item()  # call torch.Tensor.item

            @logged
            def step(self, x):
                x.item()  # call torch.Tensor.item

            def forward(self, x: Tensor):
                self.size
                self.step(x)
                list(map(lambda t: t.tolist(), [x]))  # call torch.Tensor.tolist
    """)


def test_a_summary_made_under_a_doubt_does_not_answer_a_caller_without_one() -> None:
    """The first call stands where the program fails anyway, so its break is possible; the second one's is certain."""
    text = """
        def read(x):
            return x.sum().item()

        def f(x: Tensor, k: int):
            if k > 3:
                raise ValueError(read(x))
            return read(x)
    """
    caps = sorted({event.site.cap for event in run(text) if event.breaks})
    assert caps == [Confidence.POSSIBLE, Confidence.CERTAIN]


def test_a_property_of_a_base_class_answers_for_each_of_many_subclasses() -> None:
    classes = "\n".join(
        f"class M{i}(Base):\n    kind = {'quiet' if i < 20 else 'loud'!r}\n"
        f"    def forward(self, x: Tensor):\n        return self.loss(x)\n"
        for i in range(21)
    )
    check(
        "def quiet(x):\n    return x * 2\n"
        "def loud(x):\n    return x.item()  # call torch.Tensor.item\n"
        "LOSSES = {'quiet': quiet, 'loud': loud}\n"
        "class Base(nn.Module):\n    kind = 'quiet'\n"
        "    @property\n    def loss(self):\n        return LOSSES[self.kind]\n" + classes
    )


def test_a_lambda_is_a_root_where_every_function_is_one() -> None:
    program = """
        def make():
            return lambda x: print("a")  # call builtins.print

        def named():
            def inner(x):
                print("b")  # call builtins.print
            return inner
    """
    check(program, roots=("all",))


def test_a_lambda_is_none_where_roots_are_chosen() -> None:
    check("""
        def make(x: Tensor):
            return lambda y: print("a")
    """)
