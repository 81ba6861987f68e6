"""How sure the static pass is, and every reason for being less than certain.

A claim starts as `certain`. Whatever speaks against it is a `Doubt`, and each doubt says the most that may be claimed
under it; the lowest of those that apply counts. No other file decides how sure a claim is: the interpreter, the survey
and the checks name the doubt. What a finding costs does not belong here (`Effect`), nor what a run said (`Verdict`).

A confidence carries the doubts that lowered it, and is equal to its level: whatever compares, sorts or remembers by
confidence does so by level alone, while the reasons travel with values, sites and findings to the reports. Ask
`sure == Confidence.LIKELY`, never `is`: there are as many of that level as there are reasons for it.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable
from typing import Any

_MOST_DOUBTS = 4
"""That one confidence carries; what comes after them changes neither the level nor what a reader does."""

_MOST_SENTENCES = 2
"""That a report for people gives of them; those for programs give all."""


class Confidence(enum.IntEnum):
    """How sure the static pass is; ordered, so `>=` reads as "at least"."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3

    def __init__(self, _: int) -> None:
        self.doubts: tuple[Doubt, ...] = ()
        """Why it is not higher, the first reason first; empty where the level was named without a doubt."""

    def __reduce_ex__(self, _: Any) -> tuple[Any, ...]:
        return _unpickled, (int(self), tuple(doubt.name for doubt in self.doubts))

    @property
    def label(self) -> str:
        """The lower-case word used in reports and options."""
        return self.name.lower()

    @property
    def explained(self) -> str:
        """The level and at most two of its reasons: `likely, since X; and since Y`."""
        reasons = [f"since {doubt.why}" for doubt in self.doubts[:_MOST_SENTENCES]]
        return f"{self.label}, {'; and '.join(reasons)}" if reasons else self.label

    def since(self, doubts: Iterable[Doubt]) -> Confidence:
        """The same level for these reasons; one object for each level and reasons."""
        kept = tuple(dict.fromkeys(doubts))[:_MOST_DOUBTS]
        known = _KNOWN.get((self.value, kept))
        if known is None:
            known = int.__new__(Confidence, self.value)
            known._name_, known._value_, known.doubts = self._name_, self._value_, kept
            _KNOWN[self.value, kept] = known
        return known


_KNOWN: dict[tuple[int, tuple[Doubt, ...]], Confidence] = {(level.value, ()): level for level in Confidence}


def _unpickled(level: int, names: tuple[str, ...]) -> Confidence:
    return Confidence(level).since([Doubt[name] for name in names])


def weakest(first: Confidence, *others: Confidence) -> Confidence:
    """The lowest of several claims, for the reasons of all that are as low: what is left where each of them counts."""
    low = first
    for other in others:
        if other < low:
            low = other
        elif other == low and other.doubts and other is not low:
            low = low.since((*low.doubts, *other.doubts))
    return low


_LIKELY, _POSSIBLE = Confidence.LIKELY, Confidence.POSSIBLE


class Doubt(enum.Enum):
    """A reason why a claim is not certain: the most that may be claimed under it, and why, in words."""

    def __init__(self, level: Confidence, why: str) -> None:
        self.cap = level.since((self,))
        self.why = why

    @property
    def label(self) -> str:
        """The name used in reports for programs: `one-of-several`."""
        return self.name.lower().replace("_", "-")

    def lower(self, sure: Confidence) -> Confidence:
        """What is left of `sure` under this doubt."""
        return weakest(sure, self.cap)

    # ------------------------------------------------------------- whether a value is a tensor

    ONE_OF_SEVERAL = _LIKELY, "the value is a tensor on some paths and something else on others"
    USED_LIKE_A_TENSOR = _LIKELY, "nothing declares it a tensor, but the code uses it as only tensors can be used"
    USED_LIKE_A_MODULE = _LIKELY, "nothing declares it a module, but the code calls a method that only modules have"
    METHOD_OF_OTHERS_TOO = _POSSIBLE, "the only sign of a tensor is a method that arrays and queries have too"
    NAMED_LIKE_A_TENSOR = _LIKELY, "only the parameter's name says that it is a tensor"
    NAMED_LIKE_A_TENSOR_ELSEWHERE = (
        _POSSIBLE,
        "only a parameter's name says that it is a tensor, and its function is neither a `forward` nor compiled",
    )
    DEFAULT_IS_NO_TENSOR = (
        _POSSIBLE,
        "the annotation allows a tensor, but the default, which most calls use, is not one",
    )
    ANNOTATED_AS_NUMBER = (
        _LIKELY,
        "a tensor is passed for a parameter annotated as a number, and such annotations are often lax",
    )
    ANNOTATED_AS_OTHER = (
        _POSSIBLE,
        "a tensor is passed where the annotation excludes one, so the call is probably misunderstood",
    )
    DEFAULT_IS_A_FLAG = (
        _POSSIBLE,
        "a tensor is passed where the default is a flag or text, so the call is probably misunderstood",
    )
    PROMISED_BY_ANNOTATION = _LIKELY, "only an annotation says that it is a tensor"
    COMPARED_BY_LOSS = (
        _LIKELY,
        "nothing declares it a tensor, but its class extends a loss of torch",
    )
    TAKEN_BY_OPERATOR = _LIKELY, "nothing declares it a tensor, but it is passed to a custom operator that takes one"
    CONVERTED_STATE = (
        _POSSIBLE,
        "the state is its old value converted, which is the same tensor if dtype and device match already",
    )
    ITEMS_BY_NUMBER = (
        _POSSIBLE,
        "only a name or an annotation says tensor, and its items are stored by number, as in a list",
    )
    STANDS_AMONG_OTHERS = _POSSIBLE, "it is any one item of a collection that also holds other things than tensors"
    PUT_IN_ELSEWHERE = _LIKELY, "another method puts it into the container, and need not have run before"
    STORED_ELSEWHERE = _LIKELY, "a function elsewhere stores it on the object, and need not have run before"
    ANY_ARGUMENT = _POSSIBLE, "it is one item of `*args` or `**kwargs`, and the caller decides which"
    RESULT_NOT_MODELLED = _LIKELY, "torch was measured to return a tensor here, but its dtype and rank are not modelled"
    LAYER_NOT_KNOWN = _LIKELY, "it went through an unknown layer of an `nn.Sequential`, and most layers return a tensor"
    ARRAY_OF_UNKNOWN = (
        _LIKELY,
        "a NumPy function returns an array unless all its arguments are plain numbers, and one is unknown",
    )
    ARRAY_OF_NUMBERS = (
        _POSSIBLE,
        "an elementwise NumPy function is applied to an unknown value, which is mostly a number",
    )
    OUTPUT_OF_AUTOGRAD_FUNCTION = _LIKELY, "it is the result of a custom autograd function, which is not modelled"
    RANK_UNKNOWN = _LIKELY, "the tensor's rank is unknown, although one used as a size is 0-d if the program is correct"
    DTYPE_UNKNOWN = (
        _LIKELY,
        "the tensor's dtype is unknown, although a 0-d one used as an index is an integer or a mask",
    )
    GRADIENT_UNKNOWN = _LIKELY, "other code decides whether the tensor already needs a gradient"
    EXTREMUM_OF_MIXED = _LIKELY, "`max` or `min` of tensors and unknown values may return one of the unknown values"

    # ------------------------------------------------------------- whether the line runs

    FAILS_ANYWAY = _POSSIBLE, "the line runs only where the program raises an error anyway"
    SWITCHED_OFF = _POSSIBLE, "the line runs only after outside code changes a switch or setting of the object"
    OFF_BY_DEFAULT = _LIKELY, "the line runs only if a caller passes a flag that is off by default"
    CALLER_SAYS_WHETHER = (
        _POSSIBLE,
        "the root is a guess, and a caller would have to pass a flag against its default",
    )
    HALF_PRECISION_ONLY = _POSSIBLE, "the line runs only for half precision, in which few models run"
    OTHER_KIND_OF_TENSOR_ONLY = (
        _POSSIBLE,
        "the line runs only for a sparse, nested or quantized tensor, and nothing here makes one",
    )
    OTHER_TYPE_ONLY = _POSSIBLE, "the line runs only if an unknown argument is not a tensor, and most arguments are"
    OF_THAT_TYPE_ONLY = _LIKELY, "the line runs only if an unknown argument is of the type that a test asks for"
    REPLACED_ON_CLASS = _POSSIBLE, "a decorator of the class puts another function in the place of the method"
    CLASS_CHANGED_UNSEEN = _LIKELY, "a decorator of the class is not followed, and may replace its methods"
    SEVERAL_CALLEES = _LIKELY, "the callee is one of several functions"
    SOME_CALLEES = _POSSIBLE, "the callee is one of several functions, and not all of them do it"
    NO_GRADIENT_ONLY = _POSSIBLE, "it happens only where no gradient is needed, which the caller decides"
    LIBRARY_BEHIND_A_TEST = _POSSIBLE, "it is in code that is not linted, behind a test that cannot be decided"
    CHOSEN_TOGETHER = _POSSIBLE, "one test usually picks both the callee and the argument, and the two may not meet"
    UNKNOWN_ITERATOR = _LIKELY, "`next` is called on an unknown value, which may be an iterator that compiled code made"

    # ------------------------------------------------------------- whether the graph ends there

    DEPENDS_ON_ARGUMENTS = _LIKELY, "the usual form of the call breaks, and an unknown argument may select another"
    WORST_FORM_ONLY = _POSSIBLE, "only the worst form of the call breaks, and an unknown argument may select it"
    ASSUMED_FACT = _LIKELY, "the behaviour of Dynamo there was concluded from similar names, not measured"
    CALLEE_SPLIT = _LIKELY, "it happens at a graph break in a callee, which may depend on gradients"
    FRAME_LEFT_BEFORE = _POSSIBLE, "after an earlier break the frame runs uncompiled, so this line is not traced"
    NO_TENSOR_TAKES_PART = _POSSIBLE, "the root is a guess, and neither the line nor its function handles a tensor"
    BUILDS_PARAMETERS = _POSSIBLE, "the function is analysed as a guess, and it builds a model"
    HOST_CLASS = (
        _POSSIBLE,
        "the method belongs to a class that drives modules, such as a trainer, and is not a module itself",
    )
    MADE_BY_NOTHING = (
        _POSSIBLE,
        "no script of the project makes the class, and a CUDA graph is recorded only of objects that are made",
    )
    LAYER_BEFORE_MADE_IT = (
        _POSSIBLE,
        "models are built of the layer, and the tensor that it writes was computed by the layer before",
    )
    PASSED_UNSEEN = _POSSIBLE, "the argument is not seen, and may be computed in the graph"
    RECORDS_ITSELF = _POSSIBLE, "the function records a CUDA graph itself, and is not compiled into another"
    NOT_KNOWN_TO_BE_COMPILED = _POSSIBLE, "nothing that is compiled is known to reach the function"
    COMPILED_BY_GUESS = _LIKELY, "the function takes tensors, but no compile call and no model is known to reach it"

    # ------------------------------------------------------------- whether state changes from call to call

    DEFAULTS_SAY_OTHERWISE = _POSSIBLE, "a test around it is false for the defaults and for what the constructor stores"
    STATE_OF_AN_ARGUMENT = _POSSIBLE, "the state belongs to an argument, which may be another object in each call"
    BEHIND_MANY_CALLS = _POSSIBLE, "many calls are between the root and the line, so the callee is uncertain"
    NAMED_BY_PATTERN = _POSSIBLE, "a pattern of `--roots` names a method of a class that is not a module"
    CONVERTS_NOTHING = _LIKELY, "a conversion gives back the tensor itself where there is nothing to convert"
    CALLER_DECIDES_THE_VALUE = _POSSIBLE, "the flag may already have the value that it is set to"
    BEHIND_A_TEST = _LIKELY, "it is behind a test that cannot be decided"
    ONCE_BEHIND_A_TEST = _POSSIBLE, "it happens once, behind a test of something else"
    UNREAD_COUNTER = (
        _POSSIBLE,
        "only the statement itself reads the number, and newer torch does not guard such a number",
    )

    # ------------------------------------------------------------- what a line costs (no graph ends there)

    DEVICE_FOLLOWED = _LIKELY, "the tensor's device is inferred from the operations"
    DEVICE_OF_AN_ARGUMENT = _POSSIBLE, "the caller decides on which device an argument is"
    NEW_ON_SOME_WAYS = (
        _POSSIBLE,
        "a line above gives the name a new tensor on some paths, and then no argument is written",
    )
    FILLED_BY_CONSTRUCTOR = _POSSIBLE, "the constructor fills it by the same method, and later calls seldom need more"
    HANDED_BACK = _POSSIBLE, "the function returns nothing but the argument, which the caller may make for one call"
    READ_IS_REPORTED = (
        _POSSIBLE,
        "the line that reads the number has a finding of its own, and without that read this one goes",
    )
    COPY_IS_NEEDED = _POSSIBLE, "the code that takes the copy needs it on the host, so it can only be moved as a whole"
    CONSTANT_MAY_BE_FOLDED = _POSSIBLE, "a constant is built on the host and moved, which may happen only once"
    MOVE_BEHIND_A_TEST = _POSSIBLE, "the move is behind a test, and may be needed exactly there"
    LAYOUT_FOLLOWED = _LIKELY, "the tensor's memory layout is inferred from the operations"
    CONVERSION_MAY_BE_MEANT = _POSSIBLE, "a round trip through another dtype may be meant to round values"
    GRADIENT_LIKELY = _LIKELY, "the output of a layer in a forward usually needs a gradient"
    GRADIENT_NOT_SEEN = _POSSIBLE, "nothing shows that a gradient flows through the tensor"
    COPY_MAY_PAY = _POSSIBLE, "whether a copy into another layout pays depends on the sizes"
    READ_AT_ONCE_UNKNOWN = _POSSIBLE, "whether the device is synchronized before the copy is read is decided elsewhere"
    OTHER_CALLS = _LIKELY, "a loop changes the argument, and the number of its iterations is unknown"
    HOST_UNDECIDED = _LIKELY, "a test around the call, or a number in it, is decided only when the program runs"
    CALLERS_INPUTS = _POSSIBLE, "the caller decides whether the inputs vary"
    COMPILED_LAYER_BY_LAYER = _POSSIBLE, "it costs something only if each layer is compiled separately"
    RECORDED_ON_ONE_DEVICE = (
        _LIKELY,
        "the behaviour of CUDA graphs was recorded on one device with one version of torch",
    )
    SIZES_UNKNOWN = _LIKELY, "the caller decides how many sizes there are"
    VARIABLE_MAY_STAY = _POSSIBLE, "it matters only if the variable changes while the process runs"
    ADVICE = _POSSIBLE, "only a measurement shows what is best for one model"
    REPEATED_UNSEEN = _LIKELY, "how often the line runs is unknown"
    SETTING_MAY_BE_MEANT = _LIKELY, "the switch holds for the whole process, and may be meant for a test"
    TRACED_ON_PURPOSE = _LIKELY, "the traced module may be compiled for what is left outside of it"

    # ------------------------------------------------------------- what is read off the source around compiled code

    MAY_BE_COMPILED = _LIKELY, "the function takes tensors, as compiled functions do, but no compile call is seen"
    ROWS_OF_THE_CALLER = _LIKELY, "a call with a single row keeps the size that the state was made with"
    DTYPE_OF_THE_CALLER = _LIKELY, "a caller that passes double precision keeps the dtype of the state"
    MACHINE_DECIDES = _LIKELY, "the value before depends on the machine"
    BOUND_BEHIND_A_TEST = _LIKELY, "the name is bound to the compiled object behind a test"
    BOUND_ELSEWHERE = _LIKELY, "the name was bound in another function, which need not have run"
    WRAPPER_NOT_FOLLOWED = _LIKELY, "a class that is not followed makes the compiled object from the function"
    SHOWN_BY_A_RUN = (
        _LIKELY,
        "only a simulated run of the program shows what is compiled, and other options may change that",
    )
    HAS_THE_ATTRIBUTES = _LIKELY, "of the classes here, it has the attributes that the code which compiles asks for"
    TARGET_UNKNOWN = _LIKELY, "it is unknown whether a module or a function was compiled"
    STATE_USED_ELSEWHERE = _LIKELY, "the other end of the saved state may be compiled as well"
    BOTH_ENDS_COMPILED = _POSSIBLE, "the file saves and loads the state by compiled objects of one name"
    METHOD_BY_NAME = _LIKELY, "by its name, the method runs the model, whose code was not found"
    FOUND_BY_NAME = _LIKELY, "pickle finds a function by its name, which may have been bound to the wrapper"
    TYPE_COMPARED = _LIKELY, "the type is compared, and the test may be meant for the wrapper"
    ARGUMENT_MAY_BE_NONE = _LIKELY, "the argument is an expression, whose value may be None"
    CALLED_BY_INSTANCE = _LIKELY, "it raises only where an instance calls it, and works by the class"
    ORDER_OF_CALLS = _LIKELY, "the calls are seen in the order of the source, which loops and callers may change"
    PASSED_AS_ANNOTATED = _LIKELY, "the argument is a number by its annotation only"
    WRITTEN_LATER_UNSEEN = _POSSIBLE, "it is wrong only if the tensor is changed before backward"
    SHARED_UNSEEN = _LIKELY, "it is wrong only if the tensor is used again"
    REGISTERED_ELSEWHERE = _LIKELY, "another file, which is not linted, may register it"
    REGISTERED_BY_A_FUNCTION = _POSSIBLE, "a function registers operators under names that are not seen"
    REGISTERED_IN_NATIVE_CODE = _POSSIBLE, "the kernels are registered in C++, and so may be the rest"
    FILE_TRAINS = _POSSIBLE, "the same file runs a backward pass, but not necessarily through this operator"

    # ------------------------------------------------------------- comments that silence findings

    SILENCES_ELSEWHERE = _LIKELY, "a run of other rules, or for another torch, may find something there"
    MEANT_AS_TEXT = _LIKELY, "the comment may be a sentence about compilelint and no suppression"
