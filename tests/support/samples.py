"""One value of every kind, and the neighbours that a careless join would confuse with it."""

from __future__ import annotations

from dataclasses import dataclass

from compilelint.model import Confidence
from compilelint.values import (
    BOTTOM,
    FALSE,
    INT,
    NONE,
    TRUE,
    UNKNOWN,
    BoundMethod,
    ClassRef,
    Compiled,
    Const,
    Dependence,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Origin,
    OriginKind,
    Partial,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
    join,
)


@dataclass(frozen=True)
class Thing:
    """Stands in for a class or function of a program: values only ask for its name."""

    qualified_name: str


MODEL = Thing("app.Model")
STEP = Thing("app.step")

MASK = Tensor("bool", 2, Source.COMPUTED, origin=Origin(">", kind=OriginKind.RESULT))
COUNT = Tensor("int", 0, Source.COMPUTED)
IMAGE = Tensor("float", 4, Source.INPUT, "contiguous", "cuda")
GUESS = Tensor("", None, Source.INPUT, confidence=Confidence.LIKELY)
WEIGHT = Tensor("float", 2, Source.PARAMETER)
ARRAY = Tensor("float", 1, Source.INPUT, array=True)
SIZE = Scalar("int", Dependence.SHAPE)

TENSORS: dict[str, Tensor] = {
    "mask": MASK,
    "count": COUNT,
    "image": IMAGE,
    "guess": GUESS,
    "weight": WEIGHT,
    "array": ARRAY,
}

PLAIN: dict[str, Value] = {
    "bottom": BOTTOM,
    "unknown": UNKNOWN,
    "none": NONE,
    "true": TRUE,
    "false": FALSE,
    "one": Const(1),
    "one point oh": Const(1.0),
    "text": Const("mean"),
    "ellipsis": Const(...),
    "int": INT,
    "size": SIZE,
    "str": Scalar("str"),
    "str, usually a": Scalar("str", usual=Const("a")),
    "str, usually b": Scalar("str", usual=Const("b")),
}

CONTAINERS: dict[str, Value] = {
    "empty list": Sequence("list", (), BOTTOM),
    "list of two": Sequence("list", (MASK, Const(1)), BOTTOM),
    "any list": Sequence("list", None, IMAGE),
    "pair": Sequence("tuple", (IMAGE, COUNT), BOTTOM),
    "other pair": Sequence("tuple", (NONE, SIZE), BOTTOM),
    "empty dict": Mapping((), BOTTOM, True),
    "record": Mapping((("loss", COUNT), ("n", INT)), BOTTOM, True),
    "open dict": Mapping((("loss", NONE),), UNKNOWN),
    "filled dict": Mapping((("n", INT),), BOTTOM, maybe=(("loss", COUNT),)),
}

OBJECTS: dict[str, Value] = {
    "object": Object(MODEL),
    "object made here": Object(MODEL, (("loss", COUNT),), True),
    "layer": Instance("torch.nn.Linear"),
    "layer made here": Instance("torch.nn.Linear", True),
    "library": External("torch.relu"),
    "class": ClassRef(MODEL),
    "function": FunctionRef(STEP),
    "method": FunctionRef(STEP, Object(MODEL)),
    "tensor method": BoundMethod(IMAGE, "sum"),
    "compiled function": Compiled(FunctionRef(STEP)),
    "partial": Partial(FunctionRef(STEP), (IMAGE,), (("dim", Const(1)),)),
}

UNIONS: dict[str, Value] = {
    "optional mask": join(MASK, NONE),
    "int or tensor": join(INT, IMAGE),
    "tensor or anything": join(UNKNOWN, GUESS),
}

SAMPLES: dict[str, Value] = {**PLAIN, **TENSORS, **CONTAINERS, **OBJECTS, **UNIONS}
