"""Mapping proxies from outside, read after a dict was written and before."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check

HEAD = """
        import types

        OPTIONS = types.MappingProxyType({"a": 2.0})
        CALLS = {"n": 0}
"""


@pytest.mark.parametrize(
    "write", ['CALLS["n"] = 1', "CALLS.update(n=4)", 'CALLS.pop("n")', 'CALLS.setdefault("m", 1)', "CALLS.clear()"]
)
def test_after_a_write_to_a_dict_from_outside(write: str) -> None:
    check(f"""{HEAD}
        def f(x: Tensor):
            {write}
            return x * OPTIONS["a"]  # syntax types.MappingProxyType[...]
    """)


def test_reads_that_ask_for_items() -> None:
    check(f"""{HEAD}
        def got(x: Tensor):
            CALLS["n"] = 1
            return x * OPTIONS.get("a", 1.0)  # call types.MappingProxyType.get

        def walked(x: Tensor):
            CALLS["n"] = 1
            for key, value in OPTIONS.items():  # call types.MappingProxyType.items
                x = x * value
            return x

        def asked(x: Tensor):
            CALLS["n"] = 1
            return x * len(OPTIONS) if "a" in OPTIONS else x
    """)


def test_the_write_lies_in_a_method_that_is_called() -> None:
    check("""
        import types

        class Counts(nn.Module):
            def __init__(self):
                super().__init__()
                self.calls = {"n": 0}
                self.options = types.MappingProxyType({"a": 2.0})

            def count(self):
                self.calls["n"] = self.calls["n"] + 1

            def forward(self, x: Tensor):
                self.count()
                return x * self.options["a"]  # syntax types.MappingProxyType[...]
    """)


def test_what_is_no_such_write() -> None:
    check(f"""{HEAD}
        def local(x: Tensor):
            calls = {{}}
            calls["n"] = 1
            return x * OPTIONS["a"]

        def later(x: Tensor):
            y = x * OPTIONS["a"]
            CALLS["n"] = 2
            return y

        def read(x: Tensor):
            return x * OPTIONS["a"] * CALLS.get("n", 0)

        def behind(x: Tensor):
            CALLS["n"] = 2
            torch._dynamo.graph_break()  # call torch._dynamo.graph_break
            return x * OPTIONS["a"]
    """)
