"""Probes for whole modules, torch's own and the standard library's: every public callable that simple arguments run.

Only what leaves the graph is kept (`is_kept`): a name that traces needs no entry, and thousands of them would crowd
out the table's size budget. Modules whose functions change files, processes or signals, or would take a number
for an open file, are not swept; what matters of them stands in the snippet files.
"""

from __future__ import annotations

import importlib
import re
import types
from collections.abc import Collection, Iterator

from compilelint.model.patterns import late_pattern
from compilelint.torchfacts.generate.fault import Fault
from compilelint.torchfacts.generate.inputs import INPUTS, inputs_in
from compilelint.torchfacts.generate.measure import Begins, first_that_runs
from compilelint.torchfacts.generate.probes import Module, Probe
from compilelint.torchfacts.verdict import Verdict
from compilelint.torchfacts.vocabulary import Reason

_SECONDS = 2
OF_CUDA = ("torch.cuda", "torch.cuda.nvtx", "torch.cuda.comm")
"""Modules that are swept once more where there is a CUDA device, which most of their functions want."""
_OF_TORCH = """
torch.cpu torch.cuda torch.mps torch.backends torch.backends.cuda torch.backends.cudnn torch.backends.cpu
torch.backends.mkldnn torch.backends.mps torch.backends.openmp torch.backends.opt_einsum torch.backends.xnnpack
torch.backends.quantized torch.hub torch.autograd torch.autograd.functional torch.autograd.graph
torch.autograd.forward_ad torch.utils torch.utils.checkpoint torch.utils.dlpack torch.jit torch.random torch.amp
torch.amp.autocast_mode torch.compiler torch.nn.utils torch.nn.utils.rnn torch.nn.utils.parametrize
torch.nn.utils.parametrizations torch.nn.utils.stateless torch.nn.utils.fusion torch.nn.attention.bias torch.sparse
torch.masked torch.nested torch.signal.windows torch.optim.swa_utils torch.distributions.kl
""".split()
_OF_PYTHON = """
array bisect collections contextvars copy copyreg csv dataclasses datetime decimal enum fnmatch fractions functools
gc hashlib heapq html itertools json keyword logging math operator pathlib pickle queue random re reprlib secrets
string struct textwrap threading time types warnings weakref zlib
""".split()
# Calling these would change the process, wait, write, or ask for something outside of it.
_NOT_TRIED = late_pattern(
    r"""
    (^|[._])(set|del|open|close|popen|seed|fork|load|save|download|install|list_|help|run|main|exit|kill|abort|sleep|start|stop|shutdown)
    |wait|manual|seed|compile|export|init_process|spawn|interact|breakpoint|destroy|reset|clear|empty_cache|getpass
    |disable|enable|freeze|unfreeze|collect$|remote|rpc|dump|register|unregister|settrace|setprofile|getaddrinfo
    |create_connection|create_server|gethost|fromfd|basicConfig|captureWarnings|addLevel|_shutdown|monitored|barrier
    |pthread|update_wrapper|unpad_sequence|orthogonal|Future|CompilationUnit
    |switch_|init_|new_group|profile$|seterr|simplefilter|filterwarnings|resetwarnings|raise_|fault|trigger|excepthook
    |memory_snapshot|_dump|ctypes\.(string_at|wstring_at|memset|memmove|cast|PyDLL|CDLL|pythonapi|CFUNCTYPE|PYFUNCTYPE)
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Reasons that the name alone gives; with any other the odd arguments that are tried here may be what breaks.
_OF_THE_NAME = frozenset(
    {
        Reason.SKIPPED_CALLABLE,
        Reason.RETURNS_PYTHON_VALUE,
        Reason.OPERATING_SYSTEM,
        Reason.DISTRIBUTED,
        Reason.SERIALIZATION,
        Reason.PYTHON_RANDOM,
        Reason.THREAD,
        Reason.CLOCK,
        Reason.INPUT_OUTPUT,
        Reason.INTROSPECTION,
        Reason.LOGGER,
        Reason.TORCH_RANDOM_STATE,
        Reason.UNTRACEABLE_BUILTIN,
        Reason.AUTOGRAD_GRAD,
    }
)
_TENSOR_ARGUMENTS = (
    "",
    "x",
    "x, y",
    "lin",
    "lin, 'weight'",
    "lin.parameters()",
    "userfn, x",
    "torch.sin, x",
    "torch.sum, v",
    "torch.sum, v, v",
    "torch.sin",
    "userfn",
    "x, x",
    "x.clone()",
    "w",
    "sq",
    "img",
    "v",
    "[x, y]",
    "[v, v]",
    "[lin, lin]",
    "x, 1",
    "x, 0.5",
    "3",
    "'cpu'",
    "torch.device('cpu')",
    "torch.float32",
    "0.5",
    "lin, {}, (x,)",
    "lin, (x,)",
)
_PYTHON_ARGUMENTS = (
    "",
    "3",
    "1.5",
    "'a'",
    "b'ab'",
    "[1, 2]",
    "3, 2",
    "1.5, 2.",
    "'a', 'b'",
    "[1, 2], 1",
    "'a', [1, 2]",
    "userfn",
    "userfn, [1, 2]",
    "userfn, 1",
    "OBJ",
    "O",
    "d",
    "d, 'a'",
    "[1, 2], [3, 4]",
    "'a', d",
    "2024, 1",
    "2024, 1, 1",
    "'a', 'a', 'b'",
    "'i', 3",
    "'i', [1]",
    "int",
    "DC",
    "'1 + 1'",
    "'a: 1'",
    "OBJ, 'a'",
    "DC(1)",
    "[(1, 2)]",
    "torch",
)


def _probe(key: str, arguments: str, outside: str) -> Probe:
    body = f"t = {key}({arguments})"
    parameters = tuple(dict.fromkeys(("x", *inputs_in(body))))
    # A layer of its own, since some of these functions change the one they get; made without drawing numbers.
    outside = f"{outside}\nlin = nn.utils.skip_init(nn.Linear, 3, 3)"
    return Probe(key, body, parameters, lambda: [INPUTS[name]() for name in parameters], outside)


def _public(module: types.ModuleType, prefix: str, top: str) -> Iterator[str]:
    for name in sorted(getattr(module, "__all__", None) or dir(module)):
        thing = getattr(module, name, None)
        if name.startswith("_") or not callable(thing):
            continue
        # What a module only imports belongs to the module that made it.
        owner = str(getattr(thing, "__module__", None) or top)
        if owner.partition(".")[0].lstrip("_") in (top, "builtins", "C") or hasattr(module, "__all__"):
            yield f"{prefix}.{name}"


def swept_probes(
    module: Module, covered: Collection[str], begins: Begins, modules: Collection[str] = ()
) -> Iterator[Probe]:
    """A probe for each public callable outside `covered` that some argument list runs.

    Sweeps `modules` of torch's; where none is named, all that need no device.
    """
    spaces = [(modules or _OF_TORCH, _TENSOR_ARGUMENTS), (() if modules else _OF_PYTHON, _PYTHON_ARGUMENTS)]
    for names, arguments in spaces:
        for name in names:
            with Fault() as fault:
                space = importlib.import_module(name)
            if fault.error is not None:
                continue  # this torch has no such module
            for key in _public(space, name, name.partition(".")[0]):
                if key in covered or _NOT_TRIED.search(key):
                    continue
                candidates = (_probe(key, given, f"import {name}") for given in arguments)
                probe = first_that_runs(module, candidates, _SECONDS, begins)
                if probe is not None:
                    yield probe


def is_kept(verdict: Verdict) -> bool:
    """Whether a swept name gets an entry: it leaves the graph, and because of what it is."""
    return verdict.reason in _OF_THE_NAME and (not verdict.raises or verdict.reason is Reason.AUTOGRAD_GRAD)
