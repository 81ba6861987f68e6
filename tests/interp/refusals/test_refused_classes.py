"""Classes of the program that Dynamo refuses to make objects of, or to read attributes through."""

from __future__ import annotations

import pytest

from tests.support.worker_messages import check


def test_a_typed_dict_with_optional_keys() -> None:
    check("""
        from typing import NotRequired

        class Options(TypedDict, total=False):
            a: int

        class Required(TypedDict):
            a: int

        class Mixed(TypedDict):
            a: int
            b: NotRequired[int]

        def f(x: Tensor):
            return x * Options(a=1)["a"]  # syntax Options()

        def g(x: Tensor):
            return x * Required(a=1)["a"]

        def h(x: Tensor):
            return x * Mixed(a=1)["a"]  # syntax Mixed()
    """)


def test_getattr_that_is_no_function() -> None:
    check("""
        class Answers:
            def __call__(self, name):
                return 3

        class Object:
            __getattr__ = Answers()
            there = 2

        class Method:
            def __getattr__(self, name):
                return 3

        def f(x: Tensor):
            return x * Object().missing  # syntax .missing

        def g(x: Tensor):
            return x * Object().there

        def h(x: Tensor):
            return x * Method().missing
    """)


def test_methods_found_through_a_watching_metaclass() -> None:
    check("""
        class Watching(type):
            def __getattribute__(cls, name):
                return super().__getattribute__(name)

        class Kernel(metaclass=Watching):
            width = 3

            @classmethod
            def scale(cls, x):
                return x * 2

        def f(x: Tensor):
            return Kernel.scale(x)  # syntax Kernel.scale

        def g(x: Tensor):
            return x * Kernel.width
    """)


@pytest.mark.parametrize(
    ("expression", "event"),
    [("len(Own.__name__)", "syntax Own.__name__"), ("len(Own.__subclasses__())", "syntax Own.__subclasses__")],
)
def test_names_of_an_autograd_function(expression: str, event: str) -> None:
    check(f"""
        class Own(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def helper(x):
                return x + 1

        class Plain:
            pass

        def f(x: Tensor):
            return Own.helper(x) * {expression}  # {event}

        def g(x: Tensor):
            return x * {expression.replace("Own", "Plain")}
    """)


def test_a_module_is_initialised_in_its_constructor_only() -> None:
    check("""
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.build()

            def build(self):
                super().__init__()

            def forward(self, x: Tensor):
                super().__init__()  # call torch.nn.Module.__init__
                return x
    """)


def test_an_abstract_class_whose_error_the_program_catches() -> None:
    check("""
        from abc import ABC, abstractmethod

        class Shape(ABC):
            @abstractmethod
            def area(self):
                raise NotImplementedError

        class Square(Shape):
            def area(self):
                return 2

        def f(x: Tensor):
            try:
                Shape()  # syntax Shape() in try
            except TypeError:
                return x
            return x

        def g(x: Tensor):
            try:
                return x * Square().area()
            except TypeError:
                return x
    """)


def test_an_object_that_becomes_one_of_another_class() -> None:
    check("""
        class One:
            size = 1

        class Two:
            size = 2

        def f(x: Tensor):
            made = One()
            made.__class__ = Two  # syntax .__class__ = ...
            made.size = 3
            return x * made.size
    """)


def test_an_abstract_class_is_built_where_that_is_caught() -> None:
    check("""
        import abc, collections.abc, contextlib

        class Open(abc.ABC):
            @abc.abstractmethod
            def run(self): ...

        class ByMetaclass(metaclass=abc.ABCMeta):
            @abc.abstractmethod
            def run(self): ...

        class Manager(contextlib.AbstractContextManager):
            pass

        class Rows(collections.abc.Sequence):
            def __len__(self):
                return 1

        class Closed(contextlib.AbstractContextManager):
            def __exit__(self, *error):
                return None

        class Own(Open):
            def run(self):
                return 1

        def own(x: Tensor):
            try:
                Open()  # syntax Open() in try
            except TypeError:
                return x

        def by_metaclass(x: Tensor):
            try:
                ByMetaclass()  # syntax ByMetaclass() in try
            except TypeError:
                return x

        def built():
            return Manager()  # syntax Manager()

        def of_library(x: Tensor):
            try:
                built()
            except TypeError:
                return x

        def rows(x: Tensor):
            try:
                Rows()  # syntax Rows() in try
            except TypeError:
                return x

        def complete(x: Tensor):
            try:
                Closed()
                return x * Own().run()
            except TypeError:
                return x

        def uncaught(x: Tensor):
            Open()
            return x
    """)


def test_a_method_of_an_autograd_function_that_is_called_directly() -> None:
    check("""
        class Own(torch.autograd.Function):
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def helper(x):
                return x

            @classmethod
            def make(cls, x):
                return x

        def f(x: Tensor):
            return Own.forward(None, x)  # syntax Own.forward

        def g(x: Tensor):
            return Own.helper(x) + Own.make(x)
    """)


def test_a_module_whose_constructor_does_not_call_that_of_its_base() -> None:
    check("""
        class Bare(nn.Module):
            def __init__(self):
                pass

            def forward(self, x):
                return x * 2

        class Full(nn.Module):
            def __init__(self):
                super().__init__()

            def forward(self, x):
                return x * 2

        BARE = Bare()
        FULL = Full()

        def f(x: Tensor):
            return BARE.forward(x)  # syntax Bare.forward

        def g(x: Tensor):
            return FULL.forward(x)

        def h(x: Tensor):
            return Bare().forward(x)
    """)
