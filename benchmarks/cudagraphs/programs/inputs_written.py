"""Writes to what the caller owns, and to what the module owns."""

import torch
from torch import nn
from torch.nn import functional as F


def added_in_place(x):
    x.add_(1)
    return x * 2


def make_added_in_place():
    return added_in_place, [((torch.randn(3, 4),), {})]


def added(x):
    x = x + 1
    return x * 2


def make_added():
    return added, [((torch.randn(3, 4),), {})]


def augmented(x):
    x += 1
    return x * 2


def make_augmented():
    return augmented, [((torch.randn(3, 4),), {})]


def item_written(x):
    x[0] = 0.0
    return x * 2


def make_item_written():
    return item_written, [((torch.randn(3, 4),), {})]


def copy_written(x):
    x = x.clone()
    x[0] = 0.0
    return x * 2


def make_copy_written():
    return copy_written, [((torch.randn(3, 4),), {})]


def view_written(x):
    x.view(-1).mul_(2)
    return x.sum()


def make_view_written():
    return view_written, [((torch.randn(3, 4),), {})]


def result_written(x):
    y = x.relu()
    y.add_(1)
    return y


def make_result_written():
    return result_written, [((torch.randn(3, 4),), {})]


def rectified_in_place(x):
    return F.relu(x, inplace=True) * 2


def make_rectified_in_place():
    return rectified_in_place, [((torch.randn(3, 4),), {})]


class RectifiedFirst(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU(inplace=True)
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(self.act(x))


def make_rectified_first():
    return RectifiedFirst(), [((torch.randn(3, 4),), {})]


class RectifiedLater(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.act = nn.ReLU(inplace=True)

    def forward(self, x):
        return self.act(self.linear(x))


def make_rectified_later():
    return RectifiedLater(), [((torch.randn(3, 4),), {})]


def cache_argument(x, cache, at):
    cache[:, at] = x
    return cache.sum(1)


def make_cache_argument():
    return cache_argument, [((torch.randn(3, 4), torch.zeros(3, 8, 4), 2), {})]


def cache_copied(x, cache, positions):
    cache.index_copy_(1, positions, x)
    return cache.sum(1)


def make_cache_copied():
    return cache_copied, [((torch.randn(3, 2, 4), torch.zeros(3, 8, 4), torch.tensor([2, 3])), {})]


class CacheBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(3, 8, 4))

    def forward(self, x, positions):
        self.cache.index_copy_(1, positions, x)
        return self.cache.sum(1)


def make_cache_buffer():
    return CacheBuffer(), [((torch.randn(3, 2, 4), torch.tensor([2, 3])), {})]


class CacheItemBuffer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(3, 8, 4))

    def forward(self, x, positions):
        self.cache[:, positions] = x
        return self.cache.sum(1)


def make_cache_item_buffer():
    return CacheItemBuffer(), [((torch.randn(3, 2, 4), torch.tensor([2, 3])), {})]


class PlainCache(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(3, 4, device="cuda")

    def forward(self, x):
        self.cache.add_(x)
        return self.cache * 2


def make_plain_cache():
    return PlainCache(), [((torch.randn(3, 4),), {})]


class PlainCacheMarked(nn.Module):
    def __init__(self):
        super().__init__()
        self.cache = torch.zeros(3, 4, device="cuda")
        torch._dynamo.mark_static_address(self.cache)

    def forward(self, x):
        self.cache.add_(x)
        return self.cache * 2


def make_plain_cache_marked():
    return PlainCacheMarked(), [((torch.randn(3, 4),), {})]


class MovingAverage(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.mean.lerp_(x.mean(0), 0.1)
        return x - self.mean


def make_moving_average():
    return MovingAverage(), [((torch.randn(3, 4),), {})]


class MovingAverageBound(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))

    def forward(self, x):
        self.mean = self.mean * 0.9 + x.mean(0) * 0.1
        return x - self.mean


def make_moving_average_bound():
    return MovingAverageBound(), [((torch.randn(3, 4),), {})]


class WeightClipped(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        with torch.no_grad():
            self.linear.weight.clamp_(-1, 1)
        return self.linear(x)


def make_weight_clipped():
    return WeightClipped(), [((torch.randn(3, 4),), {})]


def given_output(x, out):
    torch.mul(x, 2, out=out)
    return out + 1


def make_given_output():
    return given_output, [((torch.randn(3, 4), torch.zeros(3, 4)), {})]


def own_output(x):
    out = torch.empty_like(x)
    torch.mul(x, 2, out=out)
    return out + 1


def make_own_output():
    return own_output, [((torch.randn(3, 4),), {})]


def list_of_states(x, states):
    for s in states:
        s.mul_(0.9)
    return x + states[0]


def make_list_of_states():
    return list_of_states, [((torch.randn(3, 4), [torch.randn(3, 4), torch.randn(3, 4)]), {})]


def list_of_states_returned(x, states):
    states = [s * 0.9 for s in states]
    return x + states[0], states


def make_list_of_states_returned():
    return list_of_states_returned, [((torch.randn(3, 4), [torch.randn(3, 4), torch.randn(3, 4)]), {})]


def zeroed(x):
    y = x * 2
    x.zero_()
    return y


def make_zeroed():
    return zeroed, [((torch.randn(3, 4),), {})]


def dropped_in_place(x):
    return F.dropout(x, 0.5, True, inplace=True)


def make_dropped_in_place():
    return dropped_in_place, [((torch.randn(3, 4),), {})]


def foreach_added(x, params):
    torch._foreach_add_(params, 1.0)
    return x + params[0]


def make_foreach_added():
    return foreach_added, [((torch.randn(4), [torch.randn(4), torch.randn(4)]), {})]


def data_written(x):
    x.data.mul_(2)
    return x + 1


def make_data_written():
    return data_written, [((torch.randn(3, 4),), {})]


def shape_changed(x):
    x.unsqueeze_(0)
    return x * 2


def make_shape_changed():
    return shape_changed, [((torch.randn(3, 4),), {})]


def state_in_dict(x, state):
    state["hidden"].copy_(x.tanh())
    return state["hidden"] * 2


def make_state_in_dict():
    return state_in_dict, [((torch.randn(3, 4), {"hidden": torch.zeros(3, 4)}), {})]


def state_replaced_in_dict(x, state):
    hidden = state["hidden"] + x.tanh()
    return hidden * 2


def make_state_replaced_in_dict():
    return state_replaced_in_dict, [((torch.randn(3, 4), {"hidden": torch.zeros(3, 4)}), {})]


def normalized_in_place(x):
    x -= x.mean()
    x /= x.std()
    return x


def make_normalized_in_place():
    return normalized_in_place, [((torch.randn(3, 4),), {})]


def written_after_view(x):
    y = x[:, :2]
    y.add_(1)
    return x * 2


def make_written_after_view():
    return written_after_view, [((torch.randn(3, 4),), {})]


def written_after_reshape_of_sum(x):
    y = (x + 0).reshape(-1)
    y.add_(1)
    return y


def make_written_after_reshape_of_sum():
    return written_after_reshape_of_sum, [((torch.randn(3, 4),), {})]


def written_in_helper(x):
    def scale(t):
        t.mul_(0.5)
        return t

    return scale(x) + 1


def make_written_in_helper():
    return written_in_helper, [((torch.randn(3, 4),), {})]


def own_written_in_helper(x):
    def scale(t):
        t.mul_(0.5)
        return t

    return scale(x + 1) + 1


def make_own_written_in_helper():
    return own_written_in_helper, [((torch.randn(3, 4),), {})]


def mask_argument_written(x, mask):
    mask[:, 0] = True
    return x.masked_fill(mask, 0.0)


def make_mask_argument_written():
    return mask_argument_written, [((torch.randn(3, 4), torch.rand(3, 4) > 0.5), {})]


def contiguous_written(x):
    x = x.contiguous()
    x.mul_(2)
    return x.sum()


def make_contiguous_written():
    return contiguous_written, [((torch.randn(3, 4),), {})]


def float_written(x):
    x = x.float()
    x.mul_(2)
    return x.sum()


def make_float_written():
    return float_written, [((torch.randn(3, 4),), {})]


def half_written(x):
    x = x.half()
    x.mul_(2)
    return x.sum()


def make_half_written():
    return half_written, [((torch.randn(3, 4),), {})]


def expanded_argument(x):
    return x * 2


def make_expanded_argument():
    return expanded_argument, [((torch.randn(1, 4).expand(3, 4),), {})]
