"""How sure the static pass is, and every reason for being less than certain.

A claim starts as `certain`. Whatever speaks against it is a `Doubt`, and each doubt says the most that may be claimed
under it; the lowest of those that apply counts. No other file decides how sure a claim is: the interpreter, the survey
and the checks name the doubt. What a finding costs does not belong here (`Effect`), nor what a run said (`Verdict`).
"""

from __future__ import annotations

import enum


class Confidence(enum.IntEnum):
    """How sure the static pass is; ordered, so `>=` reads as "at least"."""

    POSSIBLE = 1
    LIKELY = 2
    CERTAIN = 3

    @property
    def label(self) -> str:
        """The lower-case word used in reports and options."""
        return self.name.lower()


_LIKELY, _POSSIBLE = Confidence.LIKELY, Confidence.POSSIBLE


class Doubt(enum.Enum):
    """A reason why a claim is not certain: the most that may be claimed under it, and why, in words."""

    def __init__(self, cap: Confidence, why: str) -> None:
        self.cap = cap
        self.why = why

    def lower(self, sure: Confidence) -> Confidence:
        """What is left of `sure` under this doubt."""
        return min(sure, self.cap)

    # ------------------------------------------------------------- whether a value is a tensor

    ONE_OF_SEVERAL = _LIKELY, "the value is a tensor on some paths and something else on others"
    USED_LIKE_A_TENSOR = _LIKELY, "nothing declares it a tensor, but the code uses it as only tensors can be used"
    USED_LIKE_A_MODULE = _LIKELY, "nothing declares it a module, but the code calls a method that only modules have"
    METHOD_OF_OTHERS_TOO = _POSSIBLE, "it looks like a tensor by a method that arrays and queries have too"
    NAMED_LIKE_A_TENSOR = _LIKELY, "a parameter of a `forward`, or of what is compiled, is a tensor by its name"
    NAMED_LIKE_A_TENSOR_ELSEWHERE = _POSSIBLE, "a parameter of any other function is a tensor by its name"
    DEFAULT_IS_NO_TENSOR = (
        _POSSIBLE,
        "the annotation allows a tensor, but most calls use the default, which is not one",
    )
    ANNOTATED_AS_NUMBER = _LIKELY, "a tensor is passed for a parameter annotated as a number, which is often lax"
    ANNOTATED_AS_OTHER = _POSSIBLE, "a tensor is passed where the annotation excludes one: the call is misunderstood"
    DEFAULT_IS_A_FLAG = _POSSIBLE, "a tensor is passed where the default is a flag or text: the call is misunderstood"
    PROMISED_BY_ANNOTATION = _LIKELY, "it is a tensor by the return annotation of a function that is not followed"
    CONVERTED_STATE = (
        _POSSIBLE,
        "what is kept is what was there before, converted: itself where it has the dtype and device already",
    )
    ITEMS_BY_NUMBER = (
        _POSSIBLE,
        "items are stored by number, as in a list, and only a name or an annotation says tensor",
    )
    STANDS_AMONG_OTHERS = _POSSIBLE, "it is any one item of a collection that holds other things than tensors"
    ANY_ARGUMENT = _POSSIBLE, "it is one item of `*args` or `**kwargs`, and the caller decides which stands there"
    RESULT_NOT_MODELLED = _LIKELY, "torch was measured to return a tensor, whose dtype and rank are not modelled"
    LAYER_NOT_KNOWN = _LIKELY, "it went through a layer of an `nn.Sequential` that is not known, and most give a tensor"
    ARRAY_OF_UNKNOWN = _LIKELY, "a NumPy function returns an array unless all that it is given are plain numbers"
    ARRAY_OF_NUMBERS = _POSSIBLE, "an elementwise NumPy function of an unknown value, which is mostly a number"
    OUTPUT_OF_AUTOGRAD_FUNCTION = _LIKELY, "it is the result of a custom autograd function, which is not modelled"
    RANK_UNKNOWN = _LIKELY, "a tensor used as a size is 0-d if the program is correct"
    DTYPE_UNKNOWN = _LIKELY, "a 0-d tensor used as an index is an integer or a mask"
    GRADIENT_UNKNOWN = _LIKELY, "other code decides whether the tensor already needs a gradient"
    EXTREMUM_OF_MIXED = _LIKELY, "`max` of tensors and unknown values is a tensor, or one of the other values"

    # ------------------------------------------------------------- whether the line runs

    FAILS_ANYWAY = _POSSIBLE, "the line runs only where the program raises an error anyway"
    SWITCHED_OFF = _POSSIBLE, "the line runs only after outside code changes a switch or setting of the object"
    OFF_BY_DEFAULT = _LIKELY, "the line runs only where a flag is passed that is off by default"
    CALLER_SAYS_WHETHER = _POSSIBLE, "the function is analysed as a guess, and its caller decides by a flag"
    HALF_PRECISION_ONLY = _POSSIBLE, "the line runs only for half precision, in which few models run"
    OTHER_TYPE_ONLY = _POSSIBLE, "the line runs only if an unknown argument is not a tensor, and most are"
    OF_THAT_TYPE_ONLY = _LIKELY, "the line runs only if an unknown argument is of the type that a test asks for"
    REPLACED_ON_CLASS = _POSSIBLE, "a decorator of the class puts another function in the place of the method"
    CLASS_CHANGED_UNSEEN = (
        _LIKELY,
        "a decorator of the class is not followed, and may put other methods in the place of its own",
    )
    SEVERAL_CALLEES = _LIKELY, "what is called is one of several functions"
    SOME_CALLEES = _POSSIBLE, "what is called is one of several, and not all of them do it"
    NO_GRADIENT_ONLY = _POSSIBLE, "it happens only where no gradient is needed, which the caller decides"
    LIBRARY_BEHIND_A_TEST = _POSSIBLE, "it stands in code that is not linted, behind a test that cannot be decided"
    CHOSEN_TOGETHER = _POSSIBLE, "one test usually picks both the callee and the argument, and the two may not meet"
    UNKNOWN_ITERATOR = _LIKELY, "`next` of an unknown value, which may be an iterator made inside"

    # ------------------------------------------------------------- whether the graph ends there

    DEPENDS_ON_ARGUMENTS = _LIKELY, "the usual form of the call breaks, and an unknown argument may select another"
    WORST_FORM_ONLY = _POSSIBLE, "only the worst form of the call breaks, and an unknown argument may select it"
    ASSUMED_FACT = _LIKELY, "what Dynamo does there was concluded from similar names, not measured"
    CALLEE_SPLIT = _LIKELY, "it happens at a graph break in a callee, which may depend on gradients"
    FRAME_LEFT_BEFORE = _POSSIBLE, "after an earlier break the frame runs uncompiled, so this line is not traced"
    NO_TENSOR_TAKES_PART = _POSSIBLE, "the function is analysed as a guess, and the line handles no tensor"
    BUILDS_PARAMETERS = _POSSIBLE, "the function is analysed as a guess, and it builds a model"
    HOST_CLASS = _POSSIBLE, "the method belongs to a class that is not a module and drives others, such as a trainer"
    MADE_BY_NOTHING = _POSSIBLE, "a CUDA graph is recorded of what is made, and no script of the project makes this"
    LAYER_BEFORE_MADE_IT = _POSSIBLE, "models are built of the layer, and what it writes is what another layer computed"
    PASSED_UNSEEN = _POSSIBLE, "what is passed for the parameter is not seen, and may be computed in the graph"
    RECORDS_ITSELF = _POSSIBLE, "the function records a CUDA graph itself, and is not compiled into another"
    NOT_KNOWN_TO_BE_COMPILED = _POSSIBLE, "nothing that is compiled is known to reach the function"

    # ------------------------------------------------------------- whether state changes from call to call

    DEFAULTS_SAY_OTHERWISE = _POSSIBLE, "a test around it is false for the defaults and for what the constructor stores"
    STATE_OF_AN_ARGUMENT = _POSSIBLE, "the state belongs to an argument, which may be another object in each call"
    BEHIND_MANY_CALLS = _POSSIBLE, "many calls lie between, so what is called is uncertain"
    NAMED_BY_PATTERN = _POSSIBLE, "a pattern of `--roots` names a method of a class that is not a module"
    CONVERTS_NOTHING = _LIKELY, "a conversion gives back the tensor itself where there is nothing to convert"
    CALLER_DECIDES_THE_VALUE = _POSSIBLE, "a flag is set to a value that it may already have"
    BEHIND_A_TEST = _LIKELY, "it is behind a test that cannot be decided"
    ONCE_BEHIND_A_TEST = _POSSIBLE, "it happens once, behind a test of something else"
    UNREAD_COUNTER = _POSSIBLE, "nothing but the statement itself reads the number, which newer torch does not guard"

    # ------------------------------------------------------------- what a line costs (no graph ends there)

    DEVICE_FOLLOWED = _LIKELY, "the tensor's device is inferred from the operations"
    DEVICE_OF_AN_ARGUMENT = _POSSIBLE, "the caller decides on which device an argument is"
    NEW_ON_SOME_WAYS = (
        _POSSIBLE,
        "a line above gives the name a new tensor on some ways, and then no argument is written",
    )
    FILLED_BY_CONSTRUCTOR = _POSSIBLE, "the constructor fills it by the same method, and later calls seldom need more"
    HANDED_BACK = _POSSIBLE, "the function hands back nothing but the argument, which the caller may make for one call"
    READ_IS_REPORTED = _POSSIBLE, "the line that reads the number is a finding of its own, and without it this one goes"
    COPY_IS_NEEDED = _POSSIBLE, "what takes the copy needs it on the host, so that it can only be moved as a whole"
    CONSTANT_MAY_BE_FOLDED = _POSSIBLE, "a constant is built on the host and moved, which may happen once"
    MOVE_BEHIND_A_TEST = _POSSIBLE, "a move behind a test may be needed exactly there"
    LAYOUT_FOLLOWED = _LIKELY, "the tensor's memory layout is inferred from the operations"
    CONVERSION_MAY_BE_MEANT = _POSSIBLE, "a round trip through another dtype may be meant to round values"
    GRADIENT_LIKELY = _LIKELY, "the output of a layer in a forward usually needs a gradient"
    GRADIENT_NOT_SEEN = _POSSIBLE, "nothing shows that a gradient flows through the tensor"
    COPY_MAY_PAY = _POSSIBLE, "whether a copy into another layout pays depends on the sizes"
    READ_AT_ONCE_UNKNOWN = _POSSIBLE, "whether the device is synchronized before the copy is read is decided elsewhere"
    OTHER_CALLS = _LIKELY, "a loop changes the argument, and the number of iterations is unknown"
    CALLERS_INPUTS = _POSSIBLE, "the caller decides whether the inputs vary"
    COMPILED_LAYER_BY_LAYER = _POSSIBLE, "it costs something only if each layer is compiled separately"
    RECORDED_ON_ONE_DEVICE = _LIKELY, "what a CUDA graph holds was recorded on one device with one version of torch"
    SIZES_UNKNOWN = _LIKELY, "the caller decides how many sizes there are"
    VARIABLE_MAY_STAY = _POSSIBLE, "it matters only if the variable changes while the process runs"
    ADVICE = _POSSIBLE, "only a measurement shows what is best for one model"
    REPEATED_UNSEEN = _LIKELY, "how often the line runs is unknown"
    SETTING_MAY_BE_MEANT = _LIKELY, "the switch holds for the whole process, and may be meant for a test"
    TRACED_ON_PURPOSE = _LIKELY, "the traced module may be compiled for what is left outside of it"

    # ------------------------------------------------------------- what is read off the source around compiled code

    MAY_BE_COMPILED = _LIKELY, "the function takes tensors, as what is compiled does"
    ROWS_OF_THE_CALLER = _LIKELY, "a call with a single row keeps the size that the state was made with"
    DTYPE_OF_THE_CALLER = _LIKELY, "a caller that passes double precision keeps the dtype of the state"
    MACHINE_DECIDES = _LIKELY, "what it was before depends on the machine"
    BOUND_BEHIND_A_TEST = _LIKELY, "the name is bound to the compiled object behind a test"
    BOUND_ELSEWHERE = _LIKELY, "the name was bound in another function, which need not have run"
    WRAPPER_NOT_FOLLOWED = (
        _LIKELY,
        "what is compiled is made from the function by a class that is not followed",
    )
    TARGET_UNKNOWN = _LIKELY, "it is unknown whether a module or a function was compiled"
    STATE_USED_ELSEWHERE = _LIKELY, "the other end of the saved state may be compiled as well"
    BOTH_ENDS_COMPILED = _POSSIBLE, "the file saves and loads the state by compiled objects of one name"
    METHOD_BY_NAME = _LIKELY, "by its name, the method runs the model, whose code was not found"
    FOUND_BY_NAME = _LIKELY, "pickle finds a function by its name, which may have been bound to the wrapper"
    TYPE_COMPARED = _LIKELY, "the type is compared, and the test may be meant for the wrapper"
    ARGUMENT_MAY_BE_NONE = _LIKELY, "the argument is an expression, whose value may be None"
    ORDER_OF_CALLS = _LIKELY, "the calls are seen in the order of the source, which loops and callers may change"
    PASSED_AS_ANNOTATED = _LIKELY, "the argument is a number by its annotation only"
    WRITTEN_LATER_UNSEEN = _POSSIBLE, "it is wrong only if the tensor is changed before backward"
    SHARED_UNSEEN = _LIKELY, "it is wrong only if the tensor is used again"
    REGISTERED_ELSEWHERE = _LIKELY, "another file, which is not linted, may register it"
    REGISTERED_BY_A_FUNCTION = _POSSIBLE, "a function registers operators under names that are not seen"
    REGISTERED_IN_NATIVE_CODE = _POSSIBLE, "the kernels are registered in C++, and so may be the rest"
    FILE_TRAINS = _POSSIBLE, "the same file runs a backward pass, not necessarily through this operator"
