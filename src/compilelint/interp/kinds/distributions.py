"""Objects of `torch.distributions`: what their methods and attributes give.

Dynamo traces into them (measured on 2.13 and 2.15: 21 programs), whether compiled code makes them or finds them on a
module, so what ends a graph there is what is done with the result. Does not belong here: whether the call of one of
their classes breaks (`torchfacts`).
"""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.registry import model
from compilelint.project.classes import ClassInfo
from compilelint.values import Instance, Object, OriginKind, Scalar, Sequence, Source, Tensor, Value

PREFIX = "torch.distributions."
ANY = f"{PREFIX}distribution.Distribution"

_METHODS = frozenset("cdf entropy enumerate_support icdf log_prob perplexity rsample sample sample_n".split())
_ATTRIBUTES = frozenset(
    """
    mean mode stddev variance loc scale probs logits concentration concentration0 concentration1 rate low high df
    covariance_matrix precision_matrix scale_tril cov_factor cov_diag temperature total_count
    """.split()
)
_SHAPES = frozenset({"batch_shape", "event_shape"})
_WHOLE = frozenset({"Categorical"})  # whose samples are indices


def is_distribution(value: Value) -> bool:
    """Whether it is an object of a distribution of torch, or of a class of the program that extends one."""
    if isinstance(value, Instance):
        return value.name.startswith(PREFIX) and value.name.rpartition(".")[2][:1].isupper()
    cls = value.cls if isinstance(value, Object) else None
    return isinstance(cls, ClassInfo) and any(base.startswith(PREFIX) for base in cls.external_bases)


def method(f: Frame, receiver: Value, name: str, pos: int) -> Value | None:
    """What a method of a distribution returns; None for one that is not known."""
    if name == "expand":
        return receiver
    if name not in _METHODS:
        return None
    sampled = name in ("sample", "sample_n", "enumerate_support")
    whole = isinstance(receiver, Instance) and receiver.name.rpartition(".")[2] in _WHOLE
    dtype = ("int" if whole else "") if sampled else "float"
    return _tensor(f, dtype, f".{name}", pos)


def attribute(f: Frame, name: str, pos: int) -> Value | None:
    """What an attribute of a distribution holds; None for one that is not known."""
    if name in _SHAPES:
        return Sequence("tuple", None, Scalar("int"))
    if name == "base_dist":
        return Instance(ANY)
    return _tensor(f, "float", f".{name}", pos) if name in _ATTRIBUTES else None


@model(f"{PREFIX}kl_divergence", f"{PREFIX}kl.kl_divergence")
def divergence(f: Frame, args: Args, pos: int) -> Value:
    """`kl_divergence(p, q)`."""
    return _tensor(f, "float", "kl_divergence", pos)


def _tensor(f: Frame, dtype: str, what: str, pos: int) -> Tensor:
    return Tensor(dtype, None, Source.COMPUTED, origin=f.origin(what, pos, kind=OriginKind.RESULT))
