"""Values that cannot come into a graph from outside: their uses, and the same made where they are traced."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_a_nested_tensor_of_the_strided_layout() -> None:
    check("""
        class Ragged(nn.Module):
            def __init__(self):
                super().__init__()
                self.rows = torch.nested.nested_tensor([torch.randn(2), torch.randn(3)])
                self.jagged = torch.nested.nested_tensor([torch.randn(2), torch.randn(3)], layout=torch.jagged)

            def forward(self, x: Tensor):
                y = x.relu()
                return y, self.rows + 1  # syntax torch.nested.NestedTensor + 1

            def traced(self, x: Tensor):
                return x.relu(), self.jagged
    """)


def test_one_that_a_break_has_left_behind() -> None:
    check("""
        def f(x: Tensor, y: Tensor):
            rows = torch.nested.nested_tensor([x, y])  # call torch.nested.nested_tensor
            return rows.to_padded_tensor(1.0)  # syntax torch.nested.NestedTensor.to_padded_tensor
    """)


def test_a_quantized_tensor() -> None:
    check("""
        class Packed(nn.Module):
            def __init__(self):
                super().__init__()
                self.weight = torch.quantize_per_tensor(torch.randn(3), 0.1, 0, torch.qint8)

            def forward(self, x: Tensor):
                return x * self.weight.dequantize()  # syntax torch.quantized tensor.dequantize

            def unpacked(self, x: Tensor):
                return x * torch.dequantize(self.weight)  # call torch.dequantize

            def times(self, x: Tensor):
                return x * self.weight  # syntax tensor * torch.quantized tensor

        def inside(x: Tensor):
            return torch.quantize_per_tensor(x, 0.1, 0, torch.qint8).dequantize()
    """)


def test_an_array_of_objects_or_texts() -> None:
    check("""
        import numpy as np

        WORDS = np.array(["a", "b"])
        OBJECTS = np.array([1, 2], dtype=object)
        NUMBERS = np.array([1.0, 2.0])

        def words(x: Tensor):
            return x * len(WORDS)  # syntax len(numpy.array of objects)

        def objects(x: Tensor):
            return x * OBJECTS.shape[0]  # syntax numpy.array of objects.shape

        def numbers(x: Tensor):
            return x * len(NUMBERS) * NUMBERS.shape[0]

        def boxed(x: Tensor):
            rows = x.numpy().astype(object)  # call numpy.ndarray.astype
            return x + len(rows)  # syntax len(numpy.array of objects) skipped

        def unboxed(x: Tensor):
            return x + len(x.numpy().astype("float32"))
    """)


def test_keys_that_are_no_constants() -> None:
    check("""
        import types

        class Key:
            pass

        KEY = Key()
        NAMED = {"a": 1.0}
        TABLE = {KEY: 1.0}
        BY_CLASS = types.MappingProxyType({nn.ReLU: 1.0, "a": 2.0})
        BY_OBJECT = types.MappingProxyType(TABLE)
        BY_NAME = types.MappingProxyType(NAMED)
        OBJECTS = TABLE.keys()
        NAMES = NAMED.keys()

        def classes(x: Tensor):
            return x * BY_CLASS["a"]  # syntax types.MappingProxyType of other keys[...]

        def objects(x: Tensor):
            return x * len(BY_OBJECT)  # syntax len(types.MappingProxyType of other keys)

        def keys(x: Tensor):
            return x * len(OBJECTS)  # syntax len(dict_keys of other keys)

        def names(x: Tensor):
            return x * BY_NAME["a"] * len(NAMES)

        def made(x: Tensor):
            return x * len(types.MappingProxyType({nn.ReLU: 1.0})) * len({KEY: 1}.keys())
    """)


def test_groups_behind_the_call_that_ended_the_graph() -> None:
    check("""
        import itertools

        def f(x: Tensor, rows: list):
            groups = itertools.groupby(rows, abs)  # call itertools.groupby
            return x * len(list(groups))  # syntax list(itertools.groupby)

        def g(x: Tensor, rows: list):
            return x * len(list(itertools.groupby(rows, key=abs)))
    """)
