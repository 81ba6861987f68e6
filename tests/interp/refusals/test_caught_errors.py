"""Errors that the program catches: Dynamo ends the frame where Python would go on in the handler."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_a_local_that_no_path_has_bound() -> None:
    check("""
        def unset(x, flag):
            if flag:
                scale = 2.0
            return x * scale  # syntax scale

        def f(x: Tensor):
            try:
                return unset(x, False)
            except UnboundLocalError:
                return x

        def g(x: Tensor):
            rows = 2
            del rows
            try:
                return x * rows  # syntax rows in try
            except UnboundLocalError:
                return x

        def bound(x: Tensor):
            try:
                rows = 2
                return x * rows
            except UnboundLocalError:
                return x

        def uncaught(x: Tensor):
            rows = 2
            del rows
            return x * rows
    """)


def test_a_local_that_some_path_has_bound() -> None:
    check("""
        def f(x: Tensor, flag: bool):
            try:
                if flag:
                    scale = 2.0
                return x * scale
            except UnboundLocalError:
                return x
    """)


def test_a_name_that_is_bound_nowhere() -> None:
    check("""
        SCALE = 2.0

        def f(x: Tensor):
            try:
                return x * no_such_scale  # syntax no_such_scale in try
            except NameError:
                return x

        def g(x: Tensor):
            try:
                return x * SCALE * len(__name__)
            except NameError:
                return x
    """)


def test_an_assertion_that_constants_decide() -> None:
    check("""
        def f(x: Tensor):
            heads = [1]
            try:
                assert len(heads) == 2, "odd"  # syntax assert that fails in try
            except AssertionError:
                return x

        def g(x: Tensor):
            try:
                assert len([1]) == 1
                assert False
            except AssertionError:
                return x
    """)


def test_except_followed_by_what_is_no_class() -> None:
    check("""
        def f(x: Tensor):
            try:
                try:
                    raise KeyError("a")
                except 5:  # syntax except in try
                    return x
            except TypeError:
                return x * 2

        def g(x: Tensor):
            try:
                try:
                    raise KeyError("a")
                except (5, KeyError):  # syntax except in try
                    return x
            except TypeError:
                return x * 2

        def h(x: Tensor):
            try:
                try:
                    raise KeyError("a")
                except (ValueError, KeyError):
                    return x
            except TypeError:
                return x * 2
    """)


def test_an_attribute_that_no_parent_has() -> None:
    check("""
        class Base:
            def there(self):
                return 1

        class Child(Base):
            def read(self, x):
                try:
                    return super().missing  # syntax super().missing in try
                except AttributeError:
                    return x

            def call(self, x):
                try:
                    return super().there
                except AttributeError:
                    return x

        def f(x: Tensor):
            child = Child()
            child.call(x)
            return child.read(x)
    """)


def test_a_variable_of_the_function_around_it_that_is_bound_later() -> None:
    check("""
        def early(x: Tensor):
            def inner():
                return x * factor  # syntax factor

            try:
                y = inner()  # syntax inner() in try
            except NameError:
                y = x
            factor = 2.0
            return y * factor

        def late(x: Tensor):
            def inner():
                return x * factor

            factor = 2.0
            try:
                return inner()
            except NameError:
                return x
    """)
