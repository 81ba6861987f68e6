"""Names across files: relative, star and re-exported imports, lazy modules, cycles, what is not followed."""

from __future__ import annotations

from tests.support.reveal import check


def test_plain_relative_and_renamed_imports() -> None:
    check(
        {
            "pkg/__init__.py": "from .ops import total as summed",
            "pkg/ops.py": """
            def total(x):
                return x.sum()
        """,
            "pkg/sub/__init__.py": "",
            "pkg/sub/net.py": """
            import pkg.ops
            import pkg.ops as ops
            from .. import ops as again, summed
            from ..ops import total

            def f(x: Tensor):
                reveal_type(pkg.ops.total(x))  # tensor 0-d computed
                reveal_type(ops.total(x))  # tensor 0-d computed
                reveal_type(again.total(x))  # tensor 0-d computed
                reveal_type(summed)  # function total
                reveal_type(total(x))  # tensor 0-d computed
        """,
        }
    )


def test_star_imports_respect_private_names() -> None:
    check(
        {
            "app.py": """
            from ops import *

            def f(x: Tensor):
                reveal_type(total)  # function total
                reveal_type(_hidden)  # ?
                reveal_type(deep)  # 3
        """,
            "ops.py": """
            from more import *

            def total(x): ...
            def _hidden(x): ...
        """,
            "more.py": "deep = 3",
        }
    )


def test_re_exports_through_several_packages() -> None:
    check(
        {
            "app.py": """
            from pkg import Net

            def f(x: Tensor):
                reveal_type(Net)  # class Net
        """,
            "pkg/__init__.py": "from .models import Net",
            "pkg/models/__init__.py": "from .net import *",
            "pkg/models/net.py": "class Net(nn.Module): ...",
        }
    )


def test_a_lazy_package_as_transformers_builds_it() -> None:
    check(
        {
            "app.py": """
            from pkg import Net, total

            def f(x: Tensor):
                reveal_type(Net)  # class Net
                reveal_type(total(x))  # tensor 0-d computed
        """,
            "pkg/__init__.py": """
            _import_structure = {"net": ["Net"], "ops": ["total"]}
            if TYPE_CHECKING:
                from .net import Net
                from .ops import total
            else:
                import sys
                sys.modules[__name__] = object()
        """,
            "pkg/net.py": "class Net(nn.Module): ...",
            "pkg/ops.py": "def total(x): return x.sum()",
        }
    )


def test_imports_under_type_checking_serve_annotations() -> None:
    check(
        {
            "app.py": """
            if TYPE_CHECKING:
                from records import Batch

            def f(x: Tensor, batch: Batch):
                reveal_type(batch.ids)  # tensor int input
        """,
            "records.py": """
            @dataclass
            class Batch:
                ids: torch.LongTensor
        """,
        }
    )


def test_imports_in_try_join_what_either_gives() -> None:
    check(
        {
            "app.py": """
            try:
                from fast import total
            except ImportError:
                from slow import total

            try:
                from nowhere import missing
            except ImportError:
                missing = None

            def f(x: Tensor):
                reveal_type(total(x))  # tensor 0-d computed
                reveal_type(missing)  # None | library nowhere.missing
        """,
            "slow.py": "def total(x): return x.sum()",
            "fast.py": "def total(x): return x.sum()",
        }
    )


def test_imports_inside_a_function() -> None:
    check(
        {
            "app.py": """
            def f(x: Tensor):
                import math as m
                from ops import total
                reveal_type(m)  # library math
                reveal_type(total(x))  # tensor 0-d computed
        """,
            "ops.py": "def total(x): return x.sum()",
        }
    )


def test_cyclic_imports() -> None:
    check(
        {
            "left.py": """
            import right

            def total(x):
                return x.sum()

            def f(x: Tensor):
                reveal_type(right.twice(x))  # tensor 0-d computed
        """,
            "right.py": """
            from left import total

            def twice(x):
                return total(x) * 2
        """,
        }
    )


def test_a_name_that_imports_itself_in_a_circle_is_unknown() -> None:
    check(
        {
            "left.py": """
            from right import thing

            def f(x: Tensor):
                reveal_type(thing)  # ?
        """,
            "right.py": "from left import thing",
        }
    )


def test_globals_and_constants_of_other_modules() -> None:
    check(
        {
            "app.py": """
            import limits
            from limits import SIZES, TABLE

            def f(x: Tensor):
                reveal_type(limits.MOST)  # 3
                reveal_type(SIZES)  # tuple(1, 2)
                reveal_type(TABLE["a"])  # 1
                reveal_type(limits.eps)  # float
        """,
            "limits.py": """
            MOST = 3
            SIZES = (1, 2)
            TABLE = {"a": 1}
            eps = torch.finfo(torch.float32).eps
        """,
        }
    )


def test_a_global_bound_on_several_lines_may_be_any_of_them() -> None:
    check("""
        if torch.cuda.is_available():
            limit = 3
        else:
            limit = None
        counter = 0
        counter += 1

        def f(x: Tensor):
            reveal_type(limit)  # 3 | None
            reveal_type(counter)  # 0 | ?
    """)


def test_libraries_are_names() -> None:
    check("""
        import torch.nn.functional as functional
        from torch.nn.modules.linear import Linear

        def f(x: Tensor):
            reveal_type(functional.relu)  # library torch.nn.functional.relu
            reveal_type(Linear)  # library torch.nn.Linear
            reveal_type(torch.float32)  # library torch.float32
            reveal_type(np.pi)  # float
            reveal_type(print)  # library builtins.print
            reveal_type(undefined_name)  # ?
    """)


def test_a_shadowed_name_is_what_shadows_it() -> None:
    check("""
        def print(x):
            return 3

        def f(x: Tensor):
            reveal_type(print(x))  # 3
            len = None
            reveal_type(len)  # None
    """)


def test_a_logger_from_a_helper_of_the_project() -> None:
    check(
        {
            "app.py": """
            from pkg import logs
            logger = logs.get_logger(__name__)

            def f(x: Tensor):
                reveal_type(logger)  # instance logging.Logger
        """,
            "pkg/__init__.py": "",
            "pkg/logs.py": """
            def get_logger(name: Optional[str] = None) -> logging.Logger:
                if name is None:
                    name = "pkg"
                configure()
                return logging.getLogger(name)

            def configure(): ...
        """,
        }
    )
