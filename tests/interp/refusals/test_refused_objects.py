"""Operations on objects that Dynamo's trackers do not answer, and those beside them that they do."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_methods_of_tensors_are_not_compared() -> None:
    check("""
        def f(x: Tensor):
            return x * 2 if x.sum == x.mean else x  # syntax method of a tensor == ...

        def g(x: Tensor):
            return x * 2 if x.sum in [x.mean] else x  # syntax method of a tensor in ...

        def h(x: Tensor, rows: list, more: list):
            return x * 2 if rows.append != more.append or x.shape == rows else x
    """)


def test_a_generator_and_none() -> None:
    check("""
        def squares(n):
            yield n

        def f(x: Tensor):
            rows = squares(3)
            return x if rows == None else x * 2  # syntax generator == None

        def g(x: Tensor):
            rows = squares(3)
            return x if rows is None else x * 2
    """)


def test_a_namespace_with_keys_that_are_no_texts() -> None:
    check("""
        class Options:
            scale = 2.0

        def f(x: Tensor):
            options = Options()
            options.__dict__ = {1: 2}
            return x * len(options.__dict__)  # syntax options.__dict__

        def g(x: Tensor):
            options = Options()
            options.__dict__ = {x: 2}
            return x * len(vars(options))  # syntax options.__dict__

        def h(x: Tensor, name):
            options = Options()
            options.__dict__ = {"scale": 3.0, name: 4}
            return x * len(vars(options)) * len(options.__dict__)
    """)


def test_set_item_of_a_class_on_a_plain_dict() -> None:
    check("""
        class Rows(dict):
            def __setitem__(self, key, value):
                dict.__setitem__(self, key, value)

        def f(x: Tensor):
            table = {}
            Rows.__setitem__(table, "a", x)  # syntax __setitem__()
            return x

        def g(x: Tensor):
            table = Rows()
            Rows.__setitem__(table, "a", x)
            return x
    """)


def test_subscripts_of_typing() -> None:
    check("""
        import typing

        def f(x: Tensor):
            kind = typing.Literal[x.shape[0]]  # syntax typing.Literal[...]
            return x

        def g(x: Tensor):
            kind = typing.Annotated[int, "rows"]  # syntax typing.Annotated[...]
            return x

        def h(x: Tensor):
            made = typing.List[int].copy_with((str,))  # call typing.List.<alias>.copy_with
            return x

        def i(x: Tensor):
            kind = typing.Union[int, typing.List[str]]
            return x
    """)


def test_a_coroutine_that_waits() -> None:
    check("""
        async def twice(x):
            return x * 2

        async def waits(x):
            return await twice(x)  # syntax await

        def f(x: Tensor):
            job = waits(x)
            return x
    """)


def test_an_object_under_the_name_of_a_module() -> None:
    check("""
        import sys, types

        class Settings:
            scale = 2.0

        sys.modules["lazy_settings"] = Settings()
        sys.modules["real_settings"] = types.ModuleType("real_settings")

        def f(x: Tensor):
            import lazy_settings  # syntax import lazy_settings
            return x

        def g(x: Tensor):
            import real_settings
            return x
    """)


def test_the_text_of_super() -> None:
    check("""
        class Child(nn.ReLU):
            def forward(self, x):
                y = super().forward(x)
                return y * len(repr(super()))  # syntax repr(super)
    """)


def test_the_address_of_an_object_made_here() -> None:
    check("""
        class Token:
            pass

        def f(x: Tensor):
            token = Token()
            return x if -id(token) else x * 2  # syntax - of an address

        def g(x: Tensor, token):
            return x if -id(token) else x * 2
    """)


def test_an_alias_of_a_builtin_class_as_a_key() -> None:
    check("""
        TABLE = {list[int]: 2.0}
        PLAIN = {int: 3.0}

        def item(x: Tensor):
            return x * TABLE[list[int]]  # syntax dict[list[...]]

        def member(x: Tensor):
            return x * 2 if list[int] in TABLE else x  # syntax dict[list[...]]

        def plain(x: Tensor):
            made = {list[int]: 2.0}
            kind = dict[str, int]
            return x * PLAIN[int] * len(made)
    """)


def test_an_attribute_that_the_parameters_of_an_attention_lack() -> None:
    check("""
        def f(x: Tensor):
            parts = torch._C._SDPAParams(x, x, x, None, 0.0, True, False)
            try:
                return x * parts.head_size  # syntax _SDPAParams.head_size in try
            except AttributeError:
                return x

        def g(x: Tensor):
            parts = torch._C._SDPAParams(x, x, x, None, 0.0, True, False)
            try:
                return x * 2 if parts.is_causal else parts.query
            except AttributeError:
                return x
    """)


def test_what_is_sent_to_a_generator_that_hands_on_another_one() -> None:
    check("""
        def inner():
            got = yield 1
            yield got

        def outer():
            yield from inner()

        def f(x: Tensor):
            rows = outer()
            next(rows)
            return x * rows.send(2)  # syntax generator.send()

        def g(x: Tensor):
            rows = inner()
            next(rows)
            return x * rows.send(2)

        def h(x: Tensor):
            rows = outer()
            rows.send(None)
            return x
    """)


def test_a_namespace_of_something_unknown() -> None:
    check("""
        def f(x: Tensor, options):
            options.__dict__ = {1: 2}
            return x * len(vars(options))  # syntax options.__dict__

        def g(x: Tensor, options):
            options.__dict__ = {"a": 2}
            return x * len(vars(options))
    """)
