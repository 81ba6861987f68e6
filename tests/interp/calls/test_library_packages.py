"""Calls of packages: compiled code, declared packages, and those of which nothing is known."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_a_function_of_a_compiled_module_ends_the_graph() -> None:
    # Under torch 2.13 a C function breaks with GB0007, a Cython function and a compiled class with GB0156.
    check(
        {
            "app.py": """
        import fast
        import fast._kernels as kernels
        from fast import add
        from fast.python import plain

        def f(x: Tensor):
            add(x, 1)  # call fast._kernels.add
            kernels.scale(x)  # call fast._kernels.scale
            table = kernels.Table()  # call fast._kernels.Table
            table.put(x)  # call fast._kernels.Table.put
            fast.missing(x)
            return plain(x)
            """,
            "fast/__init__.py": "from fast._kernels import add\n",
            "fast/python.py": "def plain(x):\n    return x + 1\n",
            "fast/_kernels.so": "",
        }
    )


def test_a_package_is_skipped_whole_or_nothing_is_known_of_it() -> None:
    check(
        """
        import soundfile
        from tqdm.contrib import tenumerate
        from somewhere import anything

        def f(x: Tensor):
            soundfile.read("a")  # call soundfile.read
            tenumerate([x])  # call tqdm.contrib.tenumerate
            anything(x)
            return x
    """,
        ("all",),
    )
