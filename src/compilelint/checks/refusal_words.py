"""The words for breaks that one rule of Dynamo refuses, by its id: what the program did, and what it may do instead.

`{}` in a message stands for the call as it is spelled. Does not belong here: which rule of ours claims the break.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

_BODY: Final = "The operator traces the function as a graph of its own, whose inputs stay as they are."
_DEVICE: Final = "Dynamo answers for one device that this torch knows."
_DEVICE_HELP: Final = "ask outside the compiled region"
_BOTH: Final = "One graph stands for whichever function is chosen, so all must give back the same containers."


class ById(NamedTuple):
    """As `Words`, for one id; `fails_in_eager` says that the call fails without compilation too."""

    message: str
    why: str
    help: str
    fails_in_eager: bool = False


WORDS: Final[Mapping[str, ById]] = MappingProxyType(
    {
        "GB0026": ById(
            "{} makes a tensor of a subclass, of something other than one tensor",
            "Dynamo traces the constructor of `torch.Tensor` as a copy of a tensor under another class.",
            "make the tensor first, and pass it: `Own(torch.empty(3))`",
        ),
        "GB0040": ById(
            "{} calls a function that gives back an input, or a view of one", _BODY, "return a `.clone()`", True
        ),
        "GB0041": ById(
            "{} calls a function that writes to its inputs in place",
            _BODY,
            "compute the new value, and return it; write it outside",
            True,
        ),
        "GB0042": ById(
            "a region of `nested_compile_region` is neither a function nor a module",
            "The region is a graph that is looked up by its function or module.",
            "define a function, and decorate that",
        ),
        "GB0102": ById(
            "{} of a gradient asks for its memory layout",
            "A backward that is traced sees no gradient yet, and which kind it will be is not known.",
            "drop the question: the gradients of dense tensors are dense",
        ),
        "GB0234": ById(
            "{} leaves a mode that was never entered",
            "There is nothing on the stack that Dynamo keeps of them.",
            "enter it with `with`",
            True,
        ),
        "GB0242": ById(
            "{} writes into a tensor that is not contiguous",
            "Dynamo traces `out=` for contiguous tensors only.",
            "drop `out=`, and assign the result to the column",
        ),
        "GB0243": ById(
            "{} repeats an object of a class of the program",
            "Dynamo repeats numbers, and what it can iterate over.",
            "write the tuple: `(size, size)`",
        ),
        "GB0248": ById("{} takes one device", _DEVICE, "pass the device alone", True),
        "GB0249": ById("{} is asked for a device that torch does not have", _DEVICE, _DEVICE_HELP, True),
        "GB0285": ById("{} takes one device", _DEVICE, "pass the device alone", True),
        "GB0286": ById("{} is asked for a device that torch does not have", _DEVICE, _DEVICE_HELP, True),
        "GB0302": ById(
            "{} is given something that cannot be called", "It calls what it is given.", "pass functions", True
        ),
        "GB0306": ById(
            "{} is a higher-order operator that Dynamo does not know",
            "Dynamo has a class for each higher-order operator of torch, and none for one of the program.",
            "derive it from `torch._higher_order_ops.BaseHOP`, or call the function itself",
        ),
        "GB0308": ById(
            "the condition of {} is not a single bool",
            "The loop asks one bool after each step.",
            "reduce it to a tensor of no dimension: `(x > 0).any()`",
            True,
        ),
        "GB0310": ById(
            "{} chooses by something other than a tensor or a number",
            "It asks one bool.",
            "choose by a bool or a tensor",
            True,
        ),
        "GB0311": ById(
            "the operands of {} are neither a tuple nor a list",
            "They become the arguments of the functions.",
            "pass `(x,)`",
            True,
        ),
        "GB0312": ById(
            "an operand of {} is an object that no graph holds",
            "Operands are the inputs of a graph: tensors, numbers, containers of them.",
            "read the object in the functions, which may use what is around them",
            True,
        ),
        "GB0313": ById(
            "the functions of {} give back different containers", _BOTH, "return the same keys and lengths", True
        ),
        "GB0314": ById(
            "{} calls a function that gives back something other than tensors, ints and bools",
            "What it gives back are the outputs of a graph.",
            "return tensors, and put the rest together outside",
            True,
        ),
        "GB0335": ById(
            "{} is not called as `hints_wrapper(body, (x,), {{}}, hints=...)`",
            "Dynamo reads the call in this one form.",
            "pass a tuple, a dict and `hints=`",
            True,
        ),
        "GB0336": ById(
            "{} is called with keywords", "Dynamo passes its operands on by position.", "pass all by position", True
        ),
        "GB0339": ById(
            "the condition of {} is a constant",
            "The loop would run for ever, or not at all.",
            "let the condition depend on what the loop carries",
            True,
        ),
        "GB0340": ById(
            "a function of {} gives back a size, which differs between calls",
            "A size that varies is not a constant, and the operator gives back tensors and constants.",
            "take the size outside",
            True,
        ),
        "GB0343": ById(
            "the function of {} gives back no pair",
            "It gives what is carried on, and the row of the result.",
            "return `carry, row`",
            True,
        ),
        "GB0345": ById(
            "an operand of {} is a container",
            "Its operands are tensors in one tuple.",
            "pass the tensors one by one",
            True,
        ),
        "GB0350": ById("a function of {} gives back None beside tensors", _BOTH, "return tensors only", True),
        "GB5195": ById(
            "{} is given something other than tensors and numbers",
            "It compares the dtypes of what it is given.",
            "pass the tensors one by one",
            True,
        ),
        "GB6210": ById(
            "a function under `leaf_function` gets a module that is made here",
            "Dynamo finds the tensors of a module by where the module is kept.",
            "make the module once, and keep it on `self`",
        ),
        "GB7935": ById(
            "`context_fn` is a method of an object that is made here",
            "Dynamo must rebuild the function that makes the contexts, and its object is kept nowhere.",
            "pass a function, or a method of the module",
        ),
    }
)
"""By the id of the registry."""

_SAME_AS: Final = {
    "GB1075": "GB0041",
    "GB4774": "GB0041",
    "GB6183": "GB0041",
    "GB1824": "GB0340",
    "GB9203": "GB0313",
}


def words_of(gb_id: str | None) -> ById | None:
    """The words for an id; None where it has none of its own."""
    return None if gb_id is None else WORDS.get(_SAME_AS.get(gb_id, gb_id))
