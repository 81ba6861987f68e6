"""NumPy: traced as arrays, folded on plain numbers."""

from __future__ import annotations

from tests.support.reveal import check


def test_numpy_is_traced_as_arrays() -> None:
    check("""
        def f(x: Tensor, a: np.ndarray, n: int):
            reveal_type(np.zeros(3))  # array float 1-d computed likely
            reveal_type(np.arange(3))  # array int 1-d computed likely
            reveal_type(a + 1)  # array computed
            reveal_type(a > 0)  # array bool computed
            reveal_type(a.sum())  # array 0-d computed
            reveal_type(np.sum(a))  # array 0-d computed
            reveal_type(x.numpy())  # array input
            reveal_type(torch.from_numpy(a))  # tensor computed
            reveal_type(a.shape[0])  # int shape
    """)


def test_one_number_drawn_is_a_number_behind_its_break() -> None:
    check("""
        def f(x: Tensor, given):
            reveal_type(np.random.randint(0, 5))  # int
            reveal_type(np.random.randint(given, 5))  # int
            reveal_type(np.random.uniform(0, 1))  # float
            reveal_type(np.random.uniform(x.numpy(), 1))  # array input
            reveal_type(np.random.randint(0, 5, 3))  # array computed
            reveal_type(np.random.randint(0, 5, size=(3,)))  # array computed
    """)


def test_numpy_on_plain_numbers() -> None:
    check("""
        def f(x: Tensor):
            reveal_type(np.sqrt(2.0))  # float
            reveal_type(np.random.rand(3))  # array float 1-d computed
            reveal_type(np.float32)  # library numpy.float32
    """)
