"""Operators of one's own: torch.autograd.Function with everything its methods may do."""

import torch
from torch import nn
from torch.autograd import Function


class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 2 * x


def make_square():
    return lambda x: Square.apply(x), [((torch.randn(3, requires_grad=True),), {})]


class Keyword(Function):
    @staticmethod
    def forward(ctx, x, *, scale=2.0):
        return x * scale

    @staticmethod
    def backward(ctx, grad):
        return grad * 2.0


def make_keyword_only_given():
    def run(x):
        try:
            return Keyword.apply(x, scale=3.0)
        except TypeError:
            return x * 3.0

    return run, [((torch.randn(3, requires_grad=True),), {})]


class Scales(nn.Module):
    def forward(self, x, options):
        y = x.relu()
        try:
            return Keyword.apply(y, **options)
        except TypeError:
            return y


def make_keyword_only_spread():
    return Scales(), [((torch.randn(3), {"scale": 2.0}), {})]


def make_keyword_only_default():
    return Scales(), [((torch.randn(3), {}), {})]


class WithJvp(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2

    @staticmethod
    def jvp(ctx, tangent):
        return tangent * 2


def make_with_jvp():
    return lambda x: WithJvp.apply(x) + 1, [((torch.randn(3, requires_grad=True),), {})]


class UsesJvp(nn.Module):
    op = WithJvp

    def forward(self, x):
        y = x.sin()
        return self.op.apply(y)


def make_with_jvp_of_module():
    return UsesJvp(), [((torch.randn(3, requires_grad=True),), {})]


class WithVjp(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def vjp(ctx, grad):
        return grad * 2


def make_with_vjp():
    return lambda x: WithVjp.apply(x) + 1, [((torch.randn(3, requires_grad=True),), {})]


class UsesVjp(nn.Module):
    def forward(self, x):
        y = x.sin()
        step = WithVjp.apply
        return step(y)


def make_with_vjp_of_module():
    return UsesVjp(), [((torch.randn(3, requires_grad=True),), {})]


class Doubler:
    def __call__(self, ctx, x):
        return x * 2


class ObjectForward(Function):
    forward = Doubler()

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def make_forward_is_object():
    return lambda x: ObjectForward.apply(x) + 1, [((torch.randn(3, requires_grad=True),), {})]


class BuiltinForward(Function):
    forward = staticmethod(max)

    @staticmethod
    def backward(ctx, *grads):
        return grads


class UsesObject(nn.Module):
    def forward(self, x):
        y = x.sin()
        return ObjectForward.apply(y)


def make_forward_is_object_of_module():
    return UsesObject(), [((torch.randn(3, requires_grad=True),), {})]


class ClassForward(Function):
    @classmethod
    def forward(cls, ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def make_forward_is_classmethod():
    return lambda x: ClassForward.apply(x) + 1, [((torch.randn(3, requires_grad=True),), {})]


# --- other methods of the class


class WithHelper(Square):
    @staticmethod
    def describe(x):
        return x.shape[0]

    @classmethod
    def make(cls, x):
        return cls.apply(x)

    @property
    def label(self):
        return "square"


def call_static(x):
    return x * WithHelper.describe(x)


def make_own_staticmethod():
    return call_static, [((torch.randn(3),), {})]


def call_class(x):
    return WithHelper.make(x) * 2


def make_own_classmethod():
    return call_class, [((torch.randn(3),), {})]


def call_plain(x):
    return x * len(WithHelper.mro())


def make_mro_called():
    return call_plain, [((torch.randn(3),), {})]


class Subclasses(nn.Module):
    def forward(self, x):
        y = x.relu()
        return y * (1 + len(Square.__subclasses__()))


def make_subclasses_called():
    return Subclasses(), [((torch.randn(3),), {})]


def name_of(x):
    return x * len(Square.name(None) if False else "a")


def traceable(x):
    Square.mark_traceable = True
    return Square.apply(x)


class Unbound(Function):
    def forward(ctx, x):
        return x * 2

    def backward(ctx, grad):
        return grad * 2


def call_forward_directly(x):
    return WithHelper.forward(None, x) if x.dim() > 5 else Unbound.forward(None, x)


def make_forward_called_directly():
    return call_forward_directly, [((torch.randn(3),), {})]


# --- the context


def saves(ctx, x):
    ctx.save_for_backward(x)
    return x * 2


def outside_context(x):
    ctx = torch.autograd.function.FunctionCtx()
    y = saves(ctx, x)
    return y + 1


def make_context_built():
    return outside_context, [((torch.randn(3),), {})]


def given_context(ctx, x):
    ctx.save_for_backward(x)
    return x * 2


def make_context_given_saves():
    return given_context, [((torch.autograd.function.FunctionCtx(), torch.randn(3)), {})]


class HoldsContext(nn.Module):
    def __init__(self):
        super().__init__()
        self.ctx = torch.autograd.function.FunctionCtx()

    def forward(self, x):
        y = x.relu()
        self.ctx.save_for_backward(y)
        return y * 2


def make_context_of_module_saves():
    return HoldsContext(), [((torch.randn(3),), {})]


def given_context_dirty(ctx, x):
    x.add_(1)
    ctx.mark_dirty(x)
    return x * 2


def make_context_given_dirty():
    return given_context_dirty, [((torch.autograd.function.FunctionCtx(), torch.randn(3)), {})]


class DirtyKept(nn.Module):
    def __init__(self):
        super().__init__()
        self.ctx = torch.autograd.function.FunctionCtx()

    def forward(self, x):
        y = x.relu()
        self.ctx.mark_dirty(y)
        return y * 2


def make_context_of_module_dirty():
    return DirtyKept(), [((torch.randn(3),), {})]


class Materialize(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad


def make_set_materialize_grads():
    return lambda x: Materialize.apply(x) + 1, [((torch.randn(3, requires_grad=True),), {})]


class ForForward(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_forward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad


class UsesForForward(nn.Module):
    def forward(self, x):
        y = x.sin()
        return ForForward.apply(y)


def make_save_for_forward():
    return UsesForForward(), [((torch.randn(3, requires_grad=True),), {})]


class NotDifferentiable(Function):
    @staticmethod
    def forward(ctx, x):
        top = x.argmax()
        ctx.mark_non_differentiable(top)
        return x * 2, top

    @staticmethod
    def backward(ctx, grad, unused):
        return grad * 2


def make_mark_non_differentiable():
    return lambda x: NotDifferentiable.apply(x)[0], [((torch.randn(3, requires_grad=True),), {})]


class Dirty(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def make_mark_dirty():
    return lambda x: Dirty.apply(x * 1), [((torch.randn(3, requires_grad=True),), {})]


KEPT = []


class Leaks(Function):
    @staticmethod
    def forward(ctx, x):
        KEPT.append(ctx)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def make_context_appended():
    return lambda x: Leaks.apply(x) + 1, [((torch.randn(3, requires_grad=True),), {})]


class Returns(Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, ctx

    @staticmethod
    def backward(ctx, grad, unused):
        return grad * 2


class UsesReturns(nn.Module):
    def forward(self, x):
        y = x.sin()
        value, self.last = Returns.apply(y)
        return value


def make_context_kept_on_module():
    return UsesReturns(), [((torch.randn(3, requires_grad=True),), {})]


def context_back(x):
    ctx = torch.autograd.function.FunctionCtx()
    ctx.scale = 2.0
    return x * ctx.scale, ctx


def make_context_returned():
    return context_back, [((torch.randn(3),), {})]


class KeepsContext(nn.Module):
    def forward(self, x):
        y = x.relu()
        ctx = torch.autograd.function.FunctionCtx()
        ctx.scale = 2.0
        print("cut")
        return y * ctx.scale


def make_context_across_print():
    return KeepsContext(), [((torch.randn(3),), {})]


def context_local(x):
    ctx = torch.autograd.function.FunctionCtx()
    ctx.scale = 2.0
    return x * ctx.scale


def make_context_used_inside():
    return context_local, [((torch.randn(3),), {})]


class Saved(nn.Module):
    def forward(self, ctx, x):
        return torch.stack(ctx.saved_tensors) + x


def given_materialize(ctx, x):
    ctx.set_materialize_grads(False)
    return x * 2


def make_context_given_materialize():
    return given_materialize, [((torch.autograd.function.FunctionCtx(), torch.randn(3)), {})]


# --- the engine


def engine_callback(x):
    y = x * 2
    torch.autograd.Variable._execution_engine.queue_callback(lambda: None)
    return y


def make_engine_callback():
    def run(x):
        try:
            return engine_callback(x)
        except RuntimeError:
            return x

    return run, [((torch.randn(3),), {})]


class Queues(nn.Module):
    def later(self):
        pass

    def forward(self, x):
        y = x.relu()
        engine = torch.autograd.Variable._execution_engine
        try:
            engine.queue_callback(self.later)
        except RuntimeError:
            return y
        return y * 2


def make_engine_callback_in_module():
    return Queues(), [((torch.randn(3),), {})]


def engine_safe(x):
    ok = torch.autograd.Variable._execution_engine.is_checkpoint_valid()
    return x * 2 if ok else x


def make_engine_checkpoint():
    return engine_safe, [((torch.randn(3),), {})]


class ChecksEngine(nn.Module):
    def forward(self, x):
        y = x.relu()
        engine = torch.autograd.Variable._execution_engine
        return y if engine.is_checkpoint_valid() else y * 2


def make_engine_checkpoint_in_module():
    return ChecksEngine(), [((torch.randn(3),), {})]
