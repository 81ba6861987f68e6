"""Lists, dicts, tuples, iterators and strings, and what changes them."""

from __future__ import annotations

from tests.support.reveal import check


def test_lists_grow() -> None:
    check("""
        def f(x: Tensor, n: int):
            out = []
            reveal_type(out)  # list()
            out.append(x)
            out.append(None)
            reveal_type(out)  # list(tensor input, None)
            out.extend([1, 2])
            reveal_type(out[-1])  # 2
            rows = []
            for i in range(n):
                rows.append(x[i])
            reveal_type(rows)  # list[tensor computed]
            reveal_type(torch.stack(rows).sum())  # tensor 0-d computed
    """)


def test_a_list_of_a_function_s_own() -> None:
    check("""
        def gather(x, into):
            into.append(x)
            return into

        def f(x: Tensor):
            reveal_type(gather(x, []))  # list(tensor input)
    """)


def test_other_methods_of_lists() -> None:
    check("""
        def f(x: Tensor, names: list[str], flag: bool):
            reveal_type(names.pop())  # str
            reveal_type(names.index("a"))  # int
            reveal_type(names.copy())  # list[str]
            reveal_type(names + ["a"])  # list[str]
            reveal_type([1] + [None])  # list(1, None)
            reveal_type([x] * 3)  # list(tensor input, tensor input, tensor input)
            reveal_type(names[1:])  # list[str]
            reveal_type((1, 2, 3)[1:])  # tuple(2, 3)
            reveal_type((1, 2, 3)[-1])  # 3
            names.sort()
            reveal_type(names)  # list[str]
    """)


def test_a_store_into_a_list() -> None:
    check("""
        def f(x: Tensor, i: int):
            items = [None, None]
            items[i] = x
            reveal_type(items[0])  # None | tensor input
    """)


def test_dicts() -> None:
    check("""
        def f(x: Tensor, key: str):
            batch = {"x": x, "n": 1}
            reveal_type(batch)  # dict(x: tensor input, n: 1)
            reveal_type(batch["x"])  # tensor input
            reveal_type(batch.get("x"))  # tensor input
            reveal_type(batch.get("y"))  # None
            reveal_type(batch.get("y", 2))  # 2
            reveal_type("y" in batch)  # False
            batch["y"] = None
            reveal_type("y" in batch)  # True
            reveal_type(batch["y"])  # None
            reveal_type(len(batch))  # int
    """)


def test_dicts_that_are_merged() -> None:
    check("""
        def f(x: Tensor, extra: Dict[str, Tensor]):
            a = {"n": 1}
            a.update({"x": x})
            a.update(m=None)
            reveal_type(a)  # dict(n: 1, x: tensor input, m: None)
            reveal_type({**a, "n": 2})  # dict(n: 2, x: tensor input, m: None)
            reveal_type({**extra, "n": 2})  # dict(n: 2, ...: tensor input)
            reveal_type(dict(x=x))  # dict(x: tensor input)
            reveal_type(dict(a))  # dict(n: 1, x: tensor input, m: None)
    """)


def test_walking_through_a_dict() -> None:
    check("""
        def f(x: Tensor, batch: Dict[str, Tensor]):
            for key in {"a": 1}:
                reveal_type(key)  # 'a'
            for key, tensor in batch.items():
                reveal_type(key)  # str
                reveal_type(tensor)  # tensor input
            for tensor in batch.values():
                reveal_type(tensor)  # tensor input
            reveal_type(list(batch.keys()))  # list[str]
    """)


def test_a_tensor_among_other_things_proves_little() -> None:
    check("""
        def f(x: Tensor, key: str, i: int):
            batch = {"x": x, "n": 1}
            reveal_type(batch[key])  # 1 | tensor input possible
            reveal_type((x, "a")[i])  # 'a' | tensor input possible
            reveal_type((x, None)[i])  # None | tensor input
    """)


def test_zip_enumerate_reversed_chain() -> None:
    check("""
        import itertools

        def f(x: Tensor, xs: list[Tensor], names: list[str]):
            for a, b in zip(xs, names):
                reveal_type(b)  # str
                reveal_type(a)  # tensor input
            for i, (a, b) in enumerate(zip(xs, names), start=1):
                reveal_type(i)  # int
                reveal_type(a)  # tensor input
            for a in reversed(xs):
                reveal_type(a)  # tensor input
            for a in itertools.chain(xs, [None]):
                reveal_type(a)  # None | tensor input
            for a, b in itertools.product(xs, names):
                reveal_type(a)  # tensor input
            for row, name in zip(torch.zeros(2, 3), names):
                reveal_type(row)  # tensor float 1-d computed
    """)


def test_tuples_of_results() -> None:
    check("""
        def f(x: Tensor, flag: bool):
            pair = (x, 1) if flag else (None, 2)
            reveal_type(pair)  # tuple(None | tensor input, int)
            ragged = (x,) if flag else (x, 1)
            reveal_type(ragged)  # tuple(tensor input) | tuple(tensor input, 1)
            reveal_type(ragged[0])  # tensor input
            reveal_type(tuple([x, 1]))  # tuple(tensor input, 1)
            reveal_type(pair + (3,))  # tuple(None | tensor input, int, 3)
    """)


def test_an_optional_container_gives_its_items() -> None:
    check("""
        def f(x: Tensor, flag: bool):
            pair = None
            if flag:
                pair = (x, 1)
            reveal_type(pair[1])  # 1
            for item in pair:
                reveal_type(item)  # 1 | tensor input possible
    """)


def test_sets_and_membership() -> None:
    check("""
        def f(x: Tensor, name: str):
            seen = {"a", "b"}
            seen.add(name)
            reveal_type(seen)  # set[str]
            reveal_type(name in seen)  # bool
            reveal_type(3 in (1, 2))  # False
            reveal_type(3 not in (1, 2))  # True
    """)


def test_text() -> None:
    check("""
        def f(x: Tensor, name: str, n: int):
            reveal_type(name.upper())  # str
            reveal_type(name.split(","))  # list[str]
            reveal_type(f"{name} {n}")  # str
            reveal_type(f"{x}")  # str data
            reveal_type("%d" % n)  # str
            reveal_type(name[0])  # str
            reveal_type(name.startswith("a"))  # bool
            reveal_type(len("abc"))  # 3
    """)


def test_next_and_iter() -> None:
    check("""
        def f(x: Tensor, xs: list[Tensor]):
            reveal_type(next(iter(xs)))  # tensor input
            reveal_type(next((t for t in xs), None))  # None | tensor input
    """)


def test_default_dicts_hold_anything() -> None:
    check("""
        import collections

        def f(x: Tensor):
            table = collections.defaultdict(list)
            reveal_type(table["a"])  # ?
            ordered = collections.OrderedDict(x=x)
            reveal_type(ordered["x"])  # tensor input
    """)


def test_an_optional_tuple_is_unpacked_item_by_item() -> None:
    check("""
        def f(x: Tensor, flag: bool):
            pair = None
            if flag:
                pair = (x, 1)
            a, b = pair
            reveal_type(a)  # tensor input
            reveal_type(b)  # 1
    """)
