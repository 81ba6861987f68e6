"""Functions of torch: modes, factories, `out=`, checks, devices, parameters made on the way."""

import torch
from torch import nn
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND, elementwise_dtypes


def x3():
    return torch.randn(3)


def in_inference(x):
    if torch.is_inference_mode_enabled():
        return x
    return x * 2


def make_in_inference():
    return in_inference, [((x3(),), {})]


class Caches(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(3, 3)

    def may_cache(self):
        return not torch.is_inference_mode_enabled()

    def forward(self, x):
        h = self.body(x)
        return h if self.may_cache() else h.clone()


def make_caches():
    return Caches(), [((x3(),), {})]


def in_grad_mode(x):
    if torch.is_grad_enabled():
        return x
    return x * 2


def make_in_grad_mode():
    return in_grad_mode, [((x3(),), {})]


def compiled_inside(x):
    inner = torch.compile(backend="eager")(torch.relu)
    return inner(x) * 2


def make_compiled_inside():
    return compiled_inside, [((x3(),), {})]


class CompilesParts(nn.Module):
    def forward(self, x):
        @torch.compile(backend="eager", dynamic=False)
        def part(v):
            return v.sin()

        return part(x) + 1


def make_compiles_parts():
    return CompilesParts(), [((x3(),), {})]


def compiled_call(x):
    inner = torch.compile(torch.relu, backend="eager")
    return inner(x) * 2


def make_compiled_call():
    return compiled_call, [((x3(),), {})]


def padded_batch(x, y):
    batch = torch.nested.nested_tensor([x, y], layout=torch.strided)
    return batch.to_padded_tensor(0.0)


def make_padded_batch():
    return padded_batch, [((x3(), torch.randn(2)), {})]


class Ragged(nn.Module):
    def __init__(self):
        super().__init__()
        self.layout = torch.strided

    def join(self, parts):
        return torch.nested.nested_tensor(parts, layout=self.layout)

    def forward(self, x, y):
        return self.join([x * 2, y * 3]).to_padded_tensor(1.0)


def make_ragged():
    return Ragged(), [((x3(), torch.randn(2)), {})]


def padded_jagged(x, y):
    batch = torch.nested.nested_tensor([x, y], layout=torch.jagged)
    return batch.values() * 2


def make_padded_jagged():
    return padded_jagged, [((x3(), torch.randn(2)), {})]


def class_codes(labels):
    return torch.nn.functional.one_hot(labels).float()


def make_class_codes():
    return class_codes, [((torch.tensor([0, 2, 1]),), {})]


class Embeds(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.classes = classes
        self.out = nn.Linear(3, 2)

    def codes(self, labels):
        return nn.functional.one_hot(labels, self.classes)

    def forward(self, labels):
        return self.out(self.codes(labels).float())


def make_embeds_unknown_classes():
    return Embeds(-1), [((torch.tensor([0, 2, 1]),), {})]


def make_embeds_known_classes():
    return Embeds(3), [((torch.tensor([0, 2, 1]),), {})]


def backend_of(x, name):
    try:
        return x * torch.get_device_module(name).device_count()
    except RuntimeError:
        return x


def make_backend_of_unknown_device():
    return backend_of, [((x3(), "tpu9"), {})]


def make_backend_of_cpu():
    return backend_of, [((x3(), "cpu"), {})]


class PicksBackend(nn.Module):
    def __init__(self, device):
        super().__init__()
        self.device = device

    def count(self):
        try:
            return torch.get_device_module(device=self.device).device_count()
        except RuntimeError:
            return 1

    def forward(self, x):
        return x / self.count()


def make_picks_unknown_backend():
    return PicksBackend("abacus"), [((x3(),), {})]


def stream_of(x):
    try:
        stream = torch.accelerator.current_stream("abacus")
    except (RuntimeError, AssertionError):
        stream = None
    return x * 2 if stream is None else x


def make_stream_of_unknown_device():
    return stream_of, [((x3(),), {})]


class Ordered(nn.Module):
    def stream(self):
        try:
            return torch.cuda.current_stream("nowhere:1")
        except (RuntimeError, AssertionError, ValueError):
            return None

    def forward(self, x):
        return x + (1 if self.stream() is None else 2)


def make_ordered():
    return Ordered(), [((x3(),), {})]


def without_streams(x):
    if torch.cuda.is_available():
        return x
    return x * 2


def make_without_streams():
    return without_streams, [((x3(),), {})]


def promoted_pair(x, y):
    _, result = elementwise_dtypes(x, y, type_promotion_kind=ELEMENTWISE_TYPE_PROMOTION_KIND.DEFAULT)
    return x.to(result)


def make_promoted_pair():
    return promoted_pair, [((x3(), x3()), {})]


def too_short():
    return "needs three values"


def checked(x):
    torch._check(x.shape[0] == 3, too_short)
    return x * 2


def make_checked():
    return checked, [((x3(),), {})]


class Validates(nn.Module):
    def message(self):
        return "the last size must be 3"

    def forward(self, x):
        torch._check(x.shape[-1] == 3, self.message)
        return x + 1


def make_validates():
    return Validates(), [((x3(),), {})]


def checked_by_lambda(x):
    torch._check(x.shape[0] == 3, lambda: "needs three values")
    return x * 2


def make_checked_by_lambda():
    return checked_by_lambda, [((x3(),), {})]


def checked_values(x):
    top = x * 3
    torch._check(x.shape[0] == 3, lambda: f"needs three values: {top}")
    return top


def make_checked_values():
    return checked_values, [((x3(),), {})]


class ChecksLengths(nn.Module):
    def verify(self, x, lengths):
        torch._check_value(x.shape[0] == 3, lambda: f"lengths {lengths.tolist()}")

    def forward(self, x, lengths):
        self.verify(x, lengths)
        return x * lengths


def make_checks_lengths():
    return ChecksLengths(), [((x3(), torch.tensor([1, 2, 3])), {})]


def checked_sizes(x):
    count = x.shape[0]
    torch._check(count == 3, lambda: f"needs three values: {count}")
    return x + 1


def make_checked_sizes():
    return checked_sizes, [((x3(),), {})]


def slope(x):
    y = (x * x).sum()
    (dx,) = torch.autograd.grad(y, x)
    return dx * 2


def make_slope():
    return slope, [((x3().requires_grad_(),), {})]


class Energy(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(3, 1)

    def forces(self, x, energy):
        return -torch.autograd.grad(energy.sum(), [x], create_graph=True)[0]

    def forward(self, x):
        return self.forces(x, self.net(x))


def make_energy():
    return Energy(), [((x3().requires_grad_(),), {})]


def slope_by_transform(x):
    return torch.func.grad(lambda v: (v * v).sum())(x) * 2


def make_slope_by_transform():
    return slope_by_transform, [((x3(),), {})]


def shortens(x):
    torch.as_strided_(x, (2,), (1,))
    return x * 2


def make_shortens():
    return shortens, [((x3(),), {})]


class Rolls(nn.Module):
    def __init__(self, shared):
        super().__init__()
        self.shared = shared

    def adjust(self, state):
        state = state if self.shared else state.clone()
        return torch.as_strided_(state, (2, 3), (3, 1))

    def forward(self, x, state):
        return x + self.adjust(state)


def make_rolls_given():
    return Rolls(True), [((x3(), torch.randn(6)), {})]


def make_rolls_copy():
    return Rolls(False), [((x3(), torch.randn(6)), {})]


def counted(x):
    return x * torch.add(x.shape[0], 1)


def make_counted():
    return counted, [((x3(),), {}), ((torch.randn(4),), {}), ((torch.randn(5),), {})]


class MeanOver(nn.Module):
    def scale(self, rows, columns):
        return torch.mul(rows, columns)

    def forward(self, x):
        return x / self.scale(x.shape[0], x.shape[1])


def make_mean_over():
    shapes = [(2, 3), (4, 5), (6, 7)]
    return MeanOver(), [((torch.randn(shape),), {}) for shape in shapes]


def counted_in_python(x):
    return x * (x.shape[0] + 1)


def make_counted_in_python():
    return counted_in_python, [((x3(),), {}), ((torch.randn(4),), {}), ((torch.randn(5),), {})]


def learnable_noise(x):
    noise = torch.zeros(3, requires_grad=True)
    return x + noise


def make_learnable_noise():
    return learnable_noise, [((x3(),), {})]


class Prompts(nn.Module):
    def start(self):
        return torch.randn(2, 3, requires_grad=True)

    def forward(self, x):
        prompt = self.start()
        return torch.cat([x[None], prompt])


def make_prompts():
    return Prompts(), [((x3(),), {})]


def frozen_noise(x):
    noise = torch.zeros(3, requires_grad=False)
    return x + noise


def make_frozen_noise():
    return frozen_noise, [((x3(),), {})]
