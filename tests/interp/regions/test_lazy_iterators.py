"""Generators that are handed to a call in which a graph ends. Each program was run under torch 2.13."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

CALLEES = """
        def breaks(x, given):
            torch._dynamo.graph_break(){ends}
            {read}return x

        def whole(x, given):
            return x + len(list(given))

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.proj = nn.Sequential(nn.Linear(3, 3), nn.ReLU())

            def forward(self, x: Tensor):
                return {call}
"""
HANDED = "  # syntax generator handed to a call in which a graph ends likely"
ENDS = "  # call torch._dynamo.graph_break; call torch._dynamo.graph_break likely"
READ = "kept = list(given)  # syntax next(iterator from outside) likely\n            "


@pytest.mark.parametrize(
    "given",
    [
        "self.parameters()",
        "self.proj.named_parameters()",
        "self.buffers()",
        "self.proj.modules()",
        "(p.detach() for p in self.parameters())",
        "enumerate(self.proj)",
    ],
)
def test_what_cannot_be_rebuilt_leaves_the_caller_and_ends_the_graph_of_the_callee(given: str) -> None:
    check(CALLEES.format(call=f"breaks(x, {given}){HANDED}", read=READ, ends=ENDS))


def test_a_generator_that_nothing_reads_is_to_be_rebuilt_all_the_same() -> None:
    check(CALLEES.format(call=f"breaks(x, self.parameters()){HANDED}", read="", ends=ENDS))


@pytest.mark.parametrize(
    "call",
    [
        pytest.param("breaks(x, list(self.parameters()))", id="a list"),
        pytest.param("breaks(x, iter([x, x]))", id="an iterator of a list"),
        pytest.param("breaks(x, range(3))", id="a range"),
        pytest.param("breaks(x, whole(x, self.parameters()))", id="no graph ends in the call that gets it"),
    ],
)
def test_what_is_rebuilt(call: str) -> None:
    check(CALLEES.format(call=call, read="kept = list(given)\n            ", ends=ENDS.split(";")[0]))


@pytest.mark.parametrize("made", ["zip([1, 2], [3, 4])", "map(abs, [1, 2])", "filter(None, [1, 2])"])
@pytest.mark.parametrize("read", ["next(rows)", "list(rows)", "dict(rows)"])
def test_what_is_rebuilt_behind_a_graph_break_is_from_outside(made: str, read: str) -> None:
    check(f"""
        def f(x: Tensor):
            rows = {made}
            torch._dynamo.graph_break()  # call torch._dynamo.graph_break
            kept = {read}  # syntax next(iterator from outside)
            return x
    """)


@pytest.mark.parametrize("made", ["iter([1, 2])", "reversed([1, 2])", "list(zip([1, 2], [3, 4]))", "range(2)"])
def test_what_is_rebuilt_and_read_behind_a_graph_break(made: str) -> None:
    check(f"""
        def f(x: Tensor):
            rows = {made}
            torch._dynamo.graph_break()  # call torch._dynamo.graph_break
            return x + len(list(rows))
    """)


def test_what_is_read_before_the_graph_break_or_made_behind_it() -> None:
    check("""
        def f(x: Tensor):
            rows = zip([1, 2], [3, 4])
            first = next(rows)
            torch._dynamo.graph_break()  # call torch._dynamo.graph_break
            return x + first[0] + next(zip([1, 2], [3, 4]))[0]
    """)


def test_a_graph_that_ends_on_one_path_of_the_call_only_is_no_evidence() -> None:
    check("""
        def perhaps(x, given):
            kept = list(given)
            if len(kept) > x.shape[0]:
                print(kept)  # call builtins.print
            return x

        class Net(nn.Module):
            def forward(self, x: Tensor):
                return perhaps(x, self.parameters())
    """)


def test_checkpointing_by_hand_ends_the_graph_in_its_backward() -> None:
    check("""
        class Again(torch.autograd.Function):
            @staticmethod
            def forward(ctx, run, count, *args):
                ctx.run = run
                ctx.inputs = list(args[:count])
                with torch.no_grad():
                    return run(*ctx.inputs)

            @staticmethod
            def backward(ctx, *grads):
                with torch.enable_grad():
                    again = ctx.run(*ctx.inputs)
                found = torch.autograd.grad(again, grads)  # call torch.autograd.grad
                return (None, None, *found)

        def checkpoint(run, inputs, params, flag=True):
            if flag:
                args = tuple(inputs) + tuple(params)  # syntax next(iterator from outside) likely
                return Again.apply(run, len(inputs), *args)
            return run(*inputs)

        class Block(nn.Module):
            def __init__(self, on):
                super().__init__()
                self.on = on
                self.proj = nn.Linear(3, 3)

            def forward(self, x: Tensor):
                run, parts, given = self._forward, self.parameters(), (x,)
                return checkpoint(run, given, parts)  # syntax generator handed to a call in which a graph ends likely

            def _forward(self, x):
                return self.proj(x)
    """)
