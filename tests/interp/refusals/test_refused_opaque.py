"""Opaque objects: members that are registered and those that are not."""

from __future__ import annotations

from tests.support.worker_messages import check

CLASSES = """
        from torch._library.opaque_object import MemberType, OpaqueBase, register_opaque_type

        class Four:
            def __get__(self, instance, owner=None):
                return 4

        class Counter(OpaqueBase):
            limit = 5
            four = Four()

            def __init__(self, start):
                self.start = start
                self.step = 1

            def value(self):
                return self.start

            def again(self):
                return Counter(self.start)

        class Gauge(OpaqueBase):
            def __getattr__(self, name):
                raise AttributeError(name)

            def read(self):
                return 3

        class Plain(OpaqueBase):
            def value(self):
                return 3

        register_opaque_type(
            Counter, typ="reference", members={"start": MemberType.USE_REAL, "again": MemberType.USE_REAL}
        )
        register_opaque_type(Gauge, typ="reference", members={"read": MemberType.USE_REAL})
"""


def test_members_of_an_object() -> None:
    check(f"""{CLASSES}
        class Reads(nn.Module):
            def __init__(self):
                super().__init__()
                self.counter = Counter(3)
                self.gauge = Gauge()
                self.plain = Plain()

            def unnamed(self, x: Tensor):
                return x * self.counter.step  # syntax Counter.step

            def method(self, x: Tensor):
                return x * self.counter.value()  # syntax Counter.value

            def another(self, x: Tensor):
                return x * self.counter.again().start  # syntax Counter.again

            def answers(self, x: Tensor):
                return x * self.gauge.read()  # syntax Gauge.read

            def named(self, x: Tensor):
                return x * self.counter.start

            def unregistered(self, x: Tensor):
                return x * self.plain.value() if self.counter is not None else x
    """)


def test_attributes_of_the_class() -> None:
    check(f"""{CLASSES}
        def missing(x: Tensor):
            try:
                return x * Counter.most  # syntax Counter.most in try
            except AttributeError:
                return x

        def descriptor(x: Tensor):
            return x * Counter.four  # syntax Counter.four

        def there(x: Tensor):
            return x * Counter.limit

        def of_plain(x: Tensor):
            try:
                return x * Plain.most
            except AttributeError:
                return x
    """)
