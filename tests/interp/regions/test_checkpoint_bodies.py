"""What a function that `checkpoint` calls may change, and what ends the graph."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_an_attribute_that_was_there_is_not_written() -> None:
    check("""
        from torch.utils.checkpoint import checkpoint

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)
                self.aux = None
                self.seen = []
                self.cache = {}
                self.register_buffer("count", torch.zeros(1))

            def forward(self, x):
                y = self.layer(x)
                self.aux = y.mean()  # syntax write in checkpoint
                self.seen.append(y)  # syntax write in checkpoint
                self.cache["y"] = y  # syntax write in checkpoint
                self.count = self.count + 1  # syntax write in checkpoint
                return y

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.block = Block()

            def forward(self, x: Tensor):
                return checkpoint(self.block, x, use_reentrant=False)
    """)


def test_the_same_writes_are_traced_where_nothing_is_checkpointed() -> None:
    check("""
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.aux = None
                self.seen = []

            def forward(self, x: Tensor):
                self.aux = x.mean()
                self.seen.append(x)
                return x
    """)


def test_what_the_body_makes_it_may_change() -> None:
    check("""
        from torch.utils.checkpoint import checkpoint

        class Bag:
            def __init__(self):
                self.items = []

            def add(self, item):
                self.items.append(item)

        def helper(x, found):
            found.append(x)
            return found

        def body(x, *more, **options):
            options["a"] = 1
            found = {}
            found["x"] = x
            bag = Bag()
            bag.add(x)
            bag.last = x
            rest = helper(x, [])
            rest.append(x)
            x = x.sin()
            x.add_(1)
            return x

        def f(x: Tensor):
            return checkpoint(body, x, a=2, use_reentrant=False)
    """)


def test_lists_handed_in_variables_around_and_globals() -> None:
    check("""
        from torch.utils.checkpoint import checkpoint

        TOTAL = 0
        SEEN = []

        def appends(x, cache):
            cache.append(x)  # syntax write in checkpoint
            return x

        def counts(x):
            global TOTAL
            TOTAL = TOTAL + 1  # syntax write in checkpoint
            SEEN.append(x)  # syntax write in checkpoint
            return x

        def f(x: Tensor):
            cache = []
            last = None
            steps = iter([1, 2])

            def around(x):
                nonlocal last
                last = x  # syntax write in checkpoint
                cache.pop()  # syntax write in checkpoint
                del cache[0]  # syntax write in checkpoint
                return x + next(steps)  # syntax write in checkpoint

            y = checkpoint(appends, x, cache, use_reentrant=False)
            z = checkpoint(counts, y, use_reentrant=True)
            return checkpoint(around, z, use_reentrant=False)
    """)


def test_reading_changes_nothing() -> None:
    check("""
        from torch.utils.checkpoint import checkpoint

        SCALES = {"a": 2.0}

        def body(x):
            return x * SCALES.get("a") * SCALES.setdefault("a", 1.0) * len(SCALES)

        def f(x: Tensor):
            return checkpoint(body, x, use_reentrant=False)
    """)


def test_a_number_left_changed_is_charged_to_the_call() -> None:
    check("""
        from torch.utils.checkpoint import checkpoint

        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.steps = 0
                self.mode = "a"

            def count(self, x):
                self.steps += 1
                return x

            def switch(self, x):
                self.mode = "b"
                return x

            def keep(self, x):
                self.mode = "a"
                return x

            def put_back(self, x):
                mode = self.mode
                self.mode = "b"
                x = x + 1
                self.mode = mode
                return x

            def forward(self, x: Tensor):
                x = checkpoint(self.count, x, use_reentrant=False)  # syntax number kept in checkpoint
                x = checkpoint(self.switch, x, use_reentrant=False)  # syntax number kept in checkpoint
                x = checkpoint(self.keep, x, use_reentrant=False)
                return checkpoint(self.put_back, x, use_reentrant=False)
    """)


def test_the_plain_call_of_a_checkpointed_function_is_traced_with_its_writes() -> None:
    check("""
        from torch.utils.checkpoint import checkpoint

        SEEN = []

        def body(x):
            SEEN.append(x)  # syntax write in checkpoint
            return x

        def f(x: Tensor):
            return checkpoint(body, x, use_reentrant=False)

        def g(x: Tensor):
            return helper(x)

        def helper(x):
            return torch.vmap(other)(x)

        def other(x):
            SEEN.append(x)
            return x
    """)
