"""Tensors that an operation refuses for their sizes or device, in code that catches the error."""

from __future__ import annotations

from tests.support.worker_messages import check


def test_sizes_and_devices_that_do_not_fit() -> None:
    check("""
        def product(x, w):
            try:
                return x @ w  # syntax @ of tensors that do not fit in try
            except RuntimeError:
                return w @ x

        def joined(x, table):
            try:
                return x + table  # syntax + of tensors that do not fit in try
            except RuntimeError:
                return x

        def fits(x, w):
            try:
                return x @ w + torch.ones(1)
            except RuntimeError:
                return x

        torch.compile(product)(torch.randn(4), torch.randn(3, 4))
        torch.compile(joined)(torch.randn(3), torch.ones(3, device="meta"))
        torch.compile(fits)(torch.randn(3), torch.randn(3, 4))
    """)


def test_out_of_another_size() -> None:
    check("""
        def wrong(x, w):
            torch.mm(x, w, out=torch.empty(1, 4))  # call torch.mm
            return x

        def right(x, w):
            torch.mm(x, w, out=torch.empty(2, 4))
            return x

        torch.compile(wrong)(torch.randn(2, 3), torch.randn(3, 4))
        torch.compile(right)(torch.randn(2, 3), torch.randn(3, 4))
    """)


def test_a_condition_of_integers() -> None:
    check("""
        def old_mask(x):
            return torch.where((x > 0).byte(), x, 0.0)  # call torch.where

        def method(x):
            return x.where((x > 0).to(torch.uint8), 0.0)  # call torch.Tensor.where

        def of_a_caller(x, mask):
            return torch.where(mask[0].unsqueeze(0), x, x * 2)  # call torch.where

        def bools(x, mask):
            y = torch.where(mask > 0, x, 0.0)
            return y.where(mask.bool(), x)

        def arrays(x):
            return np.where(np.ones(3, dtype=np.uint8), 1.0, 0.0)

        def not_known(x, mask):
            return torch.where(mask, x, 0.0)

        x = torch.randn(3, 3)
        torch.compile(old_mask)(x)
        torch.compile(method)(x)
        torch.compile(of_a_caller)(x, torch.ones(3, 3, dtype=torch.uint8))
        torch.compile(bools)(x, torch.ones(3, 3, dtype=torch.uint8))
        torch.compile(arrays)(x)
        torch.compile(not_known)(x, draw())
    """)
