"""Sizes and numbers that are read off tensors."""

import torch


class BranchSum(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            return x + 1
        return x


def make_branch_sum():
    return BranchSum(), (torch.ones(3, 4),), {}


class BranchSize(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.shape[0] > 2:
            return x + 1
        return x


def make_branch_size():
    return BranchSize(), (torch.ones(3, 4),), {}


class LoopUntil(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        while x.sum() < 100:
            x = x * 2
        return x


def make_loop_until():
    return LoopUntil(), (torch.ones(3, 4),), {}


class LoopCount(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        for _ in range(3):
            x = x * 2
        return x


def make_loop_count():
    return LoopCount(), (torch.ones(3, 4),), {}


class Asserted(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        assert x.sum() > 0
        return x + 1


def make_asserted():
    return Asserted(), (torch.ones(3, 4),), {}


class AssertedSize(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        assert x.dim() == 2
        return x + 1


def make_asserted_size():
    return AssertedSize(), (torch.ones(3, 4),), {}


class AnyBool(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + int(bool((x > 2).any()))


def make_any_bool():
    return AnyBool(), (torch.ones(3, 4),), {}


class ItemScales(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x * x.sum().item()


def make_item_scales():
    return ItemScales(), (torch.ones(3, 4),), {}


class ItemBranch(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        n = x.sum().item()
        if n > 0:
            return x + 1
        return x


def make_item_branch():
    return ItemBranch(), (torch.ones(3, 4),), {}


class ItemSize(torch.nn.Module):
    def forward(self, n: torch.Tensor):
        return torch.zeros(n.max().item()) + 1


def make_item_size():
    return ItemSize(), (torch.tensor([3, 1, 2]),), {}


class ItemSizeChecked(torch.nn.Module):
    def forward(self, n: torch.Tensor):
        k = n.max().item()
        torch._check(k >= 0)
        torch._check(k < 10)
        return torch.zeros(k) + 1


def make_item_size_checked():
    return ItemSizeChecked(), (torch.tensor([3, 1, 2]),), {}


class ItemSlice(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        k = n.max().item()
        return x[:k]


def make_item_slice():
    return (
        ItemSlice(),
        (
            torch.ones(8, 4),
            torch.tensor([3, 1, 2]),
        ),
        {},
    )


class ItemRange(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        for _ in range(n.max().item()):
            x = x + 1
        return x


def make_item_range():
    return (
        ItemRange(),
        (
            torch.ones(8, 4),
            torch.tensor([3, 1, 2]),
        ),
        {},
    )


class Listed(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x * sum(x[0].tolist())


def make_listed():
    return Listed(), (torch.ones(3, 4),), {}


class Positions(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x.nonzero().sum()


def make_positions():
    return Positions(), (torch.ones(3, 4),), {}


class PositionsSized(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        k = x.nonzero()
        if k.shape[0] > 2:
            return x + 1
        return x


def make_positions_sized():
    return PositionsSized(), (torch.ones(3, 4),), {}


class Masked(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x[x > 0].sum()


def make_masked():
    return Masked(), (torch.ones(3, 4),), {}


class MaskedBranch(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        y = x[x > 0]
        if y.numel() == 0:
            return x
        return x + y.mean()


def make_masked_branch():
    return MaskedBranch(), (torch.ones(3, 4),), {}


class Chosen(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.where(x > 0, x, -x)


def make_chosen():
    return Chosen(), (torch.ones(3, 4),), {}


class Distinct(torch.nn.Module):
    def forward(self, n: torch.Tensor):
        return torch.unique(n).sum()


def make_distinct():
    return Distinct(), (torch.tensor([3, 1, 2]),), {}


class MaxIndex(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        rows = [x, x + 1, x + 2]
        return rows[int(n.argmax())]


def make_max_index():
    return (
        MaxIndex(),
        (
            torch.ones(3, 4),
            torch.tensor([3, 1, 2]),
        ),
        {},
    )


class TensorIndex(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        return x[n[0]]


def make_tensor_index():
    return (
        TensorIndex(),
        (
            torch.ones(5, 4),
            torch.tensor([3, 1, 2]),
        ),
        {},
    )


class Contained(torch.nn.Module):
    def forward(self, n: torch.Tensor):
        if 3 in n:
            return n + 1
        return n


def make_contained():
    return Contained(), (torch.tensor([3, 1, 2]),), {}


class Worded(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        name = f"{x.mean()}"
        return x + len(name)


def make_worded():
    return Worded(), (torch.ones(3, 4),), {}


class RowsOf(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        out = x[0] * 0
        for row in x:
            out = out + row
        return out


def make_rows_of():
    return RowsOf(), (torch.ones(3, 4),), {}


class Keyed(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        table = {3: 1.0, 1: 2.0}
        return x * table[n[0].item()]


def make_keyed():
    return (
        Keyed(),
        (
            torch.ones(3, 4),
            torch.tensor([3, 1, 2]),
        ),
        {},
    )


class NanBranch(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if torch.isnan(x).any():
            return torch.nan_to_num(x)
        return x + 1


def make_nan_branch():
    return NanBranch(), (torch.ones(3, 4),), {}


class EqualBranch(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor):
        if torch.equal(x, y):
            return x
        return x + y


def make_equal_branch():
    return (
        EqualBranch(),
        (
            torch.ones(3, 4),
            torch.ones(3, 4),
        ),
        {},
    )


class CondOp(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, (x,))


def make_cond_op():
    return CondOp(), (torch.ones(3, 4),), {}


class PythonMax(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x + max(x.sum(), x.mean())


def make_python_max():
    return PythonMax(), (torch.ones(3, 4),), {}


class Negated(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x if not x.any() else x + 1


def make_negated():
    return Negated(), (torch.ones(3, 4),), {}


class Both(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0 and x.mean() < 9:
            return x + 1
        return x


def make_both():
    return Both(), (torch.ones(3, 4),), {}


class Repeats(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        return torch.repeat_interleave(x, n, dim=0)


def make_repeats():
    return (
        Repeats(),
        (
            torch.ones(3, 4),
            torch.tensor([3, 1, 2]),
        ),
        {},
    )


class CountedBins(torch.nn.Module):
    def forward(self, n: torch.Tensor):
        return torch.bincount(n)


def make_counted_bins():
    return CountedBins(), (torch.tensor([3, 1, 2]),), {}


class SplitBy(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        return torch.split(x, n.tolist())[0]


def make_split_by():
    return (
        SplitBy(),
        (
            torch.ones(6, 4),
            torch.tensor([3, 1, 2]),
        ),
        {},
    )


class ReshapedBy(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor):
        return x.reshape(n[1].item(), -1)


def make_reshaped_by():
    return (
        ReshapedBy(),
        (
            torch.ones(3, 4),
            torch.tensor([3, 1, 2]),
        ),
        {},
    )


class FloatOf(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return x * float(x.mean())


def make_float_of():
    return FloatOf(), (torch.ones(3, 4),), {}


class FloatCompared(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if float(x.mean()) > 0.5:
            return x + 1
        return x


def make_float_compared():
    return FloatCompared(), (torch.ones(3, 4),), {}


class SortedRows(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        return torch.stack(sorted([x.sum(), x.mean()]))


def make_sorted_rows():
    return SortedRows(), (torch.ones(3, 4),), {}
