"""What is asked of `super()`: objects that are called, names that are asked for, and methods beside them."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_an_object_of_the_parent_is_called() -> None:
    check("""
        class Triples:
            def __call__(self, x):
                return x * 3

        class Parent:
            helper = Triples()
            limit = 3

            def plain(self, x):
                return x + 1

        class Child(Parent):
            def calls(self, x: Tensor):
                return super().helper(x)  # syntax super().helper()

            def reads(self, x: Tensor):
                return super().plain(x) * super().limit
    """)


def test_names_are_asked_for() -> None:
    check("""
        class Parent:
            def plain(self, x):
                return x + 1

        class Child(Parent):
            def has(self, x: Tensor):
                return x * 2 if hasattr(super(), "plain") else x  # call builtins.hasattr

            def gets(self, x: Tensor):
                return x * getattr(super(), "gain", 2.0)  # call builtins.getattr

            def fetches(self, x: Tensor):
                return getattr(super(), "plain")(x) if hasattr(self, "plain") else x
    """)


def test_a_name_that_no_parent_has() -> None:
    check("""
        class Layer(nn.Module):
            def missing(self, x: Tensor):
                try:
                    return x * super().gain  # syntax super().gain in try
                except AttributeError:
                    return x

            def called(self, x: Tensor):
                try:
                    return super().gain(x)  # syntax super().gain in try
                except AttributeError:
                    return x

            def there(self, x: Tensor):
                try:
                    return x if super().extra_repr() else x * 2
                except AttributeError:
                    return x

            def uncaught(self, x: Tensor):
                return super().gain(x)
    """)


def test_autograd_functions() -> None:
    check("""
        class Base(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return g * 2

        class Static(Base):
            @staticmethod
            def forward(ctx, x):
                return super(Static, Static).forward(ctx, x)  # syntax super() in an autograd function

        class Named(Base):
            @staticmethod
            def forward(ctx, x):
                return Base.forward(ctx, x)

        class Applied(Base):
            @classmethod
            def apply(cls, x):
                return super().apply(x)

            @classmethod
            def run(cls, x):
                return super().apply(x)  # syntax super() in an autograd function

        def static(x: Tensor):
            return Static.apply(x)

        def named(x: Tensor):
            return Named.apply(x)

        def applied(x: Tensor):
            return Applied.apply(x)

        def run(x: Tensor):
            return Applied.run(x)
    """)


def test_a_static_backward_asks_its_parent_and_one_of_the_class_may() -> None:
    check("""
        class Base(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g):
                return g * 2

        class Static(Base):
            @staticmethod
            def backward(ctx, g):
                return super(Static, Static).backward(ctx, g)  # syntax super() in an autograd function

        class OfClass(Base):
            @classmethod
            def backward(cls, ctx, g):
                return super().backward(ctx, g)

        def f(x: Tensor):
            return Static.apply(x) + OfClass.apply(x)
    """)
