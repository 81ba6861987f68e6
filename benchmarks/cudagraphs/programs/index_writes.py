"""Items written by masks, indices and slices."""

import torch
from torch import nn


def mask_number(x):
    y = x * 2
    y[y > 0] = 0.0
    return y


def make_mask_number():
    return mask_number, [((torch.randn(3, 4),), {})]


def mask_filled(x):
    y = x * 2
    return y.masked_fill(y > 0, 0.0)


def make_mask_filled():
    return mask_filled, [((torch.randn(3, 4),), {})]


def mask_tensor(x, mask, value):
    y = x.clone()
    y[mask] = value
    return y


def make_mask_tensor():
    return mask_tensor, [((torch.randn(3, 4), torch.rand(3, 4) > 0.5, torch.tensor(2.0)), {})]


def mask_row(x, mask, row):
    y = x.clone()
    y[mask] = row
    return y


def make_mask_row():
    return mask_row, [((torch.randn(3, 4), torch.tensor([True, False, True]), torch.randn(4)), {})]


def mask_where(x, mask, row):
    return torch.where(mask[:, None], row, x)


def make_mask_where():
    return mask_where, [((torch.randn(3, 4), torch.tensor([True, False, True]), torch.randn(4)), {})]


def mask_column(x, mask):
    y = x.clone()
    y[:, mask] = 0.0
    return y


def make_mask_column():
    return mask_column, [((torch.randn(3, 4), torch.tensor([True, False, True, False])), {})]


def mask_and_item(x, mask):
    y = x.clone()
    y[mask, 0] = 1.0
    return y


def make_mask_and_item():
    return mask_and_item, [((torch.randn(3, 4), torch.tensor([True, False, True])), {})]


def mask_added(x, mask):
    y = x.clone()
    y[mask] += 1.0
    return y


def make_mask_added():
    return mask_added, [((torch.randn(3, 4), torch.rand(3, 4) > 0.5), {})]


def mask_of_selected(x, y, mask):
    out = x.clone()
    out[mask] = y[mask]
    return out


def make_mask_of_selected():
    return mask_of_selected, [((torch.randn(3, 4), torch.randn(3, 4), torch.rand(3, 4) > 0.5), {})]


def mask_scattered(x, y, mask):
    return x.masked_scatter(mask, y)


def make_mask_scattered():
    return mask_scattered, [((torch.randn(3, 4), torch.randn(3, 4), torch.rand(3, 4) > 0.5), {})]


def indices_tensor(x, ids, rows):
    y = x.clone()
    y[ids] = rows
    return y


def make_indices_tensor():
    return indices_tensor, [((torch.randn(3, 4), torch.tensor([0, 2]), torch.randn(2, 4)), {})]


def indices_number(x, ids):
    y = x.clone()
    y[ids] = 0.0
    return y


def make_indices_number():
    return indices_number, [((torch.randn(3, 4), torch.tensor([0, 2])), {})]


def indices_list(x):
    y = x.clone()
    y[:, [0, 2]] = 0.0
    return y


def make_indices_list():
    return indices_list, [((torch.randn(3, 4),), {})]


def put_accumulating(x, ids, rows):
    return x.index_put((ids,), rows, accumulate=True)


def make_put_accumulating():
    return put_accumulating, [((torch.randn(3, 4), torch.tensor([0, 2]), torch.randn(2, 4)), {})]


def put_masked(x, mask):
    return x.index_put((mask,), torch.zeros((), device=x.device))


def make_put_masked():
    return put_masked, [((torch.randn(3, 4), torch.rand(3, 4) > 0.5), {})]


def slice_number(x):
    y = x.clone()
    y[:, 1:3] = 0.0
    return y


def make_slice_number():
    return slice_number, [((torch.randn(3, 4),), {})]


def item_number(x):
    y = torch.zeros_like(x)
    y[0, 0] = 1.0
    y[-1] = x[0]
    return y


def make_item_number():
    return item_number, [((torch.randn(3, 4),), {})]


def filled_by_index(x, ids):
    return x.index_fill(0, ids, 0.0)


def make_filled_by_index():
    return filled_by_index, [((torch.randn(3, 4), torch.tensor([0, 2])), {})]


def added_by_index(x, ids, rows):
    return x.index_add(0, ids, rows)


def make_added_by_index():
    return added_by_index, [((torch.randn(3, 4), torch.tensor([0, 2]), torch.randn(2, 4)), {})]


def scattered(x, ids):
    return torch.zeros_like(x).scatter_(1, ids, 1.0)


def make_scattered():
    return scattered, [((torch.randn(3, 4), torch.tensor([[0], [1], [3]])), {})]


def scattered_sum(x, ids):
    return torch.zeros(3, 4, device=x.device).scatter_add(1, ids, x)


def make_scattered_sum():
    return scattered_sum, [((torch.randn(3, 4), torch.randint(0, 4, (3, 4))), {})]


def one_hot(ids):
    return torch.nn.functional.one_hot(ids, 5).float()


def make_one_hot():
    return one_hot, [((torch.tensor([0, 3]),), {})]


def nans_replaced(x):
    y = x / x.sum()
    y[torch.isnan(y)] = 0.0
    return y


def make_nans_replaced():
    return nans_replaced, [((torch.randn(3, 4),), {})]


def nans_to_number(x):
    y = x / x.sum()
    return torch.nan_to_num(y)


def make_nans_to_number():
    return nans_to_number, [((torch.randn(3, 4),), {})]


def limits_written(x):
    y = x + 0
    y[y < -1] = -1.0
    y[y > 1] = 1.0
    return y


def make_limits_written():
    return limits_written, [((torch.randn(3, 4),), {})]


def logits_limited(x):
    values, _ = torch.topk(x, 2)
    x = x.clone()
    x[x < values[:, [-1]]] = -float("inf")
    return x.softmax(-1)


def make_logits_limited():
    return logits_limited, [((torch.randn(3, 4),), {})]


def logits_limited_where(x):
    values, _ = torch.topk(x, 2)
    return torch.where(x < values[:, -1:], -float("inf"), x).softmax(-1)


def make_logits_limited_where():
    return logits_limited_where, [((torch.randn(3, 4),), {})]


class MaskToken(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(4))

    def forward(self, x, mask):
        x = x.clone()
        x[mask] = self.token
        return x


def make_mask_token():
    return MaskToken(), [((torch.randn(2, 3, 4), torch.rand(2, 3) > 0.5), {})]


class MaskTokenWeighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(4))

    def forward(self, x, mask):
        w = mask.unsqueeze(-1).type_as(x)
        return x * (1 - w) + self.token * w


def make_mask_token_weighted():
    return MaskTokenWeighted(), [((torch.randn(2, 3, 4), torch.rand(2, 3) > 0.5), {})]


def labels_ignored(labels):
    labels = labels.clone()
    labels[labels == 0] = -100
    return labels


def make_labels_ignored():
    return labels_ignored, [((torch.tensor([[0, 1], [2, 0]]),), {})]


def put_flat(x, ids, values):
    return x.put(ids, values)


def make_put_flat():
    return put_flat, [((torch.randn(3, 4), torch.tensor([0, 5]), torch.randn(2)), {})]


def selected_by_ids(x, ids):
    return x[ids].sum(0)


def make_selected_by_ids():
    return selected_by_ids, [((torch.randn(3, 4), torch.tensor([0, 2])), {})]


def selected_by_mask(x, mask):
    return x[mask].sum(0)


def make_selected_by_mask():
    return selected_by_mask, [((torch.randn(3, 4), torch.tensor([True, False, True])), {})]


def mask_in_augmented_view(x, mask):
    y = x.clone()
    y.view(-1)[mask.view(-1)] = 3.0
    return y


def make_mask_in_augmented_view():
    return mask_in_augmented_view, [((torch.randn(3, 4), torch.rand(3, 4) > 0.5), {})]


def logical_write(x, lengths):
    y = x.clone()
    mask = torch.arange(4, device=x.device)[None] >= lengths[:, None]
    y[mask & (x > 0)] = 0.0
    return y


def make_logical_write():
    return logical_write, [((torch.randn(3, 4), torch.tensor([1, 2, 3])), {})]
