"""Where a break leaves the frame: what is skipped behind it, and to which line of a linted file it is charged."""

from __future__ import annotations

from tests.support.worker_messages import check

# -------------------------------------------------------- where a break leaves the frame


def test_blocks_around_a_break() -> None:
    check("""
        class Timer:
            def __enter__(self): ...
            def __exit__(self, *error): ...

        def f(x: Tensor, xs: list[Tensor], flag: bool):
            if flag:
                if x.any():  # branch if
                    pass
            with torch.no_grad():
                if x.any():  # branch if
                    pass
            for t in xs:
                if t.any():  # branch if in for
                    pass

        def g(x: Tensor):
            try:
                x.item()  # call torch.Tensor.item in try
            except RuntimeError:
                x.tolist()  # call torch.Tensor.tolist in except skipped
            with Timer():
                x.item()  # call torch.Tensor.item in with skipped
    """)


def test_behind_a_certain_break_in_a_block_the_frame_is_skipped() -> None:
    check("""
        class Timer:
            def __enter__(self): ...
            def __exit__(self, *error): ...

        def f(x: Tensor):
            with Timer():
                y = x.sum().item()  # call torch.Tensor.item in with
                z = x.max().item()  # call torch.Tensor.item in with skipped
            if x.any():  # branch if skipped
                pass
    """)


def test_who_loops_has_something_to_loop_over() -> None:
    check("""
        def f(x: Tensor, xs: list[Tensor]):
            for t in xs:
                a = t.item()  # call torch.Tensor.item in for
                b = t.tolist()  # call torch.Tensor.tolist in for skipped
            if x.any():  # branch if skipped
                pass

        def g(x: Tensor, n: int):
            while n > 0:
                n = n - int(x.item())  # call torch.Tensor.item in while
            if x.any():  # branch if
                pass
    """)


def test_a_break_that_is_likely_skips_the_frame_and_a_possible_one_does_not() -> None:
    check("""
        def f(x: Tensor, n: Union[int, Tensor]):
            for _ in range(1):
                n.item()  # call torch.Tensor.item likely in for
            x.item()  # call torch.Tensor.item skipped

        def g(x: Tensor):
            for _ in range(1):
                if x.dtype == torch.float16 and x.any():  # branch if possible in for
                    pass
            x.item()  # call torch.Tensor.item
    """)


def test_a_manager_that_dynamo_cannot_enter() -> None:
    check("""
        import threading

        LOCK = threading.Lock()

        def f(x: Tensor):
            with LOCK:  # enter threading.Lock
                y = x + 1
            x.item()  # call torch.Tensor.item skipped
    """)


# ---------------------------------------------------------------------- who is charged


def test_a_break_is_charged_where_it_happens_in_a_linted_file() -> None:
    check(
        {
            "app.py": """
            from ops import check

            def f(x: Tensor):
                check(x)
        """,
            "ops.py": """
            def check(x):
                if x.any():  # branch if
                    raise ValueError
        """,
        }
    )


def test_a_break_in_a_file_that_is_not_linted_is_charged_to_the_call() -> None:
    check(
        {
            "app.py": """
                from lib.ops import check, outer

                def f(x: Tensor):
                    check(x)  # branch if inside lib/ops.py:2
                    outer(x)  # branch if inside lib/ops.py:2
            """,
            "lib/__init__.py": "",
            "lib/ops.py": """
                def check(x):
                    if x.any():
                        raise ValueError

                def outer(x):
                    check(x)
            """,
        },
        unlinted=("lib",),
    )


def test_what_only_prepares_an_error_is_possible() -> None:
    check("""
        def f(x: Tensor, bad: bool):
            if x.isnan().any():  # branch if
                found = x.sum().item()  # call torch.Tensor.item possible
                raise ValueError(f"{found} is not finite")
            if bad:
                found = x.sum().item()  # call torch.Tensor.item
    """)


def test_a_merely_possible_break_in_a_block_hides_nothing_behind_it() -> None:
    """`mask` is a tensor by its name only; were the frame given up for it, the sure break behind it were silenced."""
    check(
        """
        def f(x: Tensor, mask):
            for _ in range(2):
                if mask:  # branch if possible in for
                    pass
            n = x.sum().item()  # call torch.Tensor.item
            return x * n
    """
    )
