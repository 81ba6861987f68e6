"""Which `Reason` a break has: from the name that broke where that decides, else from Dynamo's own words.

Reviewed by hand. The words are graph-break types of the registry (torch 2.8 on) and messages of older versions;
names come first, because Dynamo words one outcome differently in different versions.
"""

from __future__ import annotations

import re

from compilelint.torchfacts.vocabulary import Reason

# Patterns over keys (see `facts.py`), first match wins.
_BY_KEY: tuple[tuple[str, Reason], ...] = tuple(
    (pattern, reason)
    for reason, patterns in {
        # An object from outside stands first: what it is does not matter, only that it was not built in the line.
        Reason.CONTEXT_MANAGER: [r"with-object:", r"(with:)?contextlib\.", r"syntax:with (global|self)"],
        Reason.CLOCK: [r"time\.", r"datetime\."],
        Reason.LOGGER: [r"logging\.", r"loguru\.", r"transformers\.utils\.logging\.", r"absl\.logging\."],
        Reason.WARNING: [r"warnings\.", r"with:warnings\."],
        Reason.PRINT: [
            r"builtins\.print",
            r"rich\.(print|console)",
            r"syntax:print\(",
            r"syntax:print in backward",
            r"tqdm\.tqdm\.write",
        ],
        Reason.PYTHON_RANDOM: [r"random\.", r"secrets\.", r"uuid\.", r"numpy\.random\."],
        Reason.TORCH_RANDOM_STATE: [
            r"torch\.(cuda\.|random\.|mps\.|xpu\.)?(manual_seed|seed|initial_seed|get_rng_state|set_rng_state|manual_seed_all)(_all)?$",
            r"torch\.thread_safe_generator$",
            r"with:torch\.random\.fork_rng",
        ],
        Reason.GENERATOR_OBJECT: [r"torch\.Generator", r".*\|generator$"],
        Reason.INPUT_OUTPUT: [
            r"builtins\.(open|input)$",
            r"io\.",
            r"sys\.std",
            r"shutil\.",
            r"tempfile\.",
            r"subprocess\.",
            r"requests\.",
            r"os\.(listdir|makedirs|mkdir|remove|rename|getcwd|stat)",
            r"os\.path\.(exists|isfile|isdir|getsize)",
            r"pathlib\.Path\.",
            r"PIL\.",
            r"cv2\.",
            r"numpy\.(save|load|savez|savetxt|loadtxt|fromfile)$",
            r"torch\.hub\.",
            r"tqdm\.",
        ],
        Reason.SERIALIZATION: [
            r"pickle\.",
            r"syntax:pickle",
            r"json\.",
            r"torch\.(save|load)$",
            r"safetensors\.",
            r"base64\.",
            r"hashlib\.",
        ],
        Reason.OPERATING_SYSTEM: [
            r"os\.",
            r"gc\.",
            r"platform\.",
            r"signal\.",
            r"atexit\.",
            r"psutil\.",
        ],
        Reason.THREAD: [
            r"threading\.",
            r"concurrent\.",
            r"queue\.",
            r"multiprocessing\.",
            r"asyncio\.",
            r"syntax:with lock",
        ],
        Reason.UNSUPPORTED_ITERATION: [r"itertools\.", r"builtins\.(next|iter)$", r"syntax:next\("],
        Reason.UNTRACEABLE_BUILTIN: [r"builtins\.(max|min)$", r"syntax:__repr__", r"sys\.version_info"],
        Reason.UNSUPPORTED_ATTRIBUTE: [r"syntax:cached_property"],
        Reason.UNSUPPORTED_CALL: [
            r"torch\._check\|",
            r"collections\.",
            r"dataclasses\.",
            r"syntax:user ",
            r"types\.",
            r"string\.Template",
            r"scipy\.special",
            r"packaging\.",
            r"contextvars\.",
            r"omegaconf",
        ],
        Reason.UNSUPPORTED_SYNTAX: [r"syntax:(class statement|except\*)"],
        Reason.FAKE_TENSOR: [r"torch\.(Tensor\.)?slice_inverse", r"scipy\.ndimage"],
        Reason.SKIPPED_CALLABLE: [
            r"syntax:singledispatch",
            r"torch\.typename",
            r"torch\.(fx|overrides|profiler|serialization)\.",
        ],
        Reason.INTROSPECTION: [
            r"torch\.Tensor\.__dict__",
            r"inspect\.",
            r"traceback\.",
            r"sys\._getframe",
            r"sys\.(getrefcount|getsizeof|exc_info)",
            r"builtins\.(globals|locals|vars|dir|id)$",
        ],
        Reason.IMPORT: [r"importlib\.", r"syntax:(try: )?(from )?import"],
        Reason.RNN: [r"layer:torch\.nn\.(RNN|LSTM|GRU)(\||$)", r"torch\.nn\.utils\.rnn\.pa"],
        Reason.SCRIPTED_MODULE: [r"layer:torch\.jit\."],
        Reason.QUANTIZED: [
            r"layer:torch\.(ao\.)?nn\.quantized",
            r"torch\.(Tensor\.)?(quantize_|dequantize|q_|qscheme|int_repr|fbgemm|fake_quantize|choose_qparams)",
        ],
        Reason.NAMED_TENSOR: [r"(set:)?torch\.Tensor\.(names|has_names|rename|rename_|refine_names|align_)"],
        Reason.OPTIMIZER: [r"torch\.optim\."],
        Reason.PARAMETER_CONSTRUCTION: [
            r"torch\.nn\.Parameter$",
            r"torch\.nn\.(Linear|Conv|Embedding|LayerNorm|BatchNorm)[0-9a-z]*$",
        ],
        Reason.MODULE_STATE: [r"torch\.nn\.Module\.", r"syntax:(del )?module\.", r"syntax:self\.counter"],
        Reason.REQUIRES_GRAD_WRITE: [
            r"set:torch\.Tensor\.requires_grad$",
            r"torch\.Tensor\.requires_grad_",
            r"syntax:x\.clone\(\)\.requires_grad_",
            r".*\|requires-grad$",
        ],
        Reason.TENSOR_ATTRIBUTE_WRITE: [r"set:torch\.Tensor\."],
        Reason.TENSOR_RESIZE: [
            r"torch\.(Tensor\.)?(resize_|resize_as_|sparse_resize_|sparse_resize_and_clear_|set_)$",
            r"layer:torch\.nn\.CrossMapLRN2d",
            r"syntax:input\.unsqueeze_",
        ],
        Reason.TENSOR_CALLBACK: [r"torch\.Tensor\.(apply_|map_|map2_)$"],
        Reason.TENSOR_SUBCLASS: [r"torch\.Tensor\.as_subclass"],
        Reason.TENSOR_SHARING: [
            r"torch\.(Tensor\.)?(share_memory_|from_dlpack|to_dlpack|frombuffer|data_ptr)$",
            r"torch\.(Tensor\.)?(storage|untyped_storage|storage_offset)$",
            r"torch\.Tensor\.__dlpack",
        ],
        Reason.TENSOR_COPY: [r"copy\.(copy|deepcopy)\|(tensor|module)", r"syntax:copy\.(deep)?copy"],
        Reason.OBJECT_COPY: [r"copy\."],
        Reason.TENSOR_TEXT: [r"syntax:(str|repr|f-string of tensor|% of tensor|len\(str)"],
        Reason.TENSOR_SORT: [r"syntax:sorted"],
        Reason.TENSOR_IDENTITY: [r"syntax:(hash|id)\(tensor"],
        Reason.BACKWARD_CALL: [r"torch\.(Tensor|autograd)\.backward", r"syntax:parameter\.grad after backward"],
        Reason.AUTOGRAD_GRAD: [r"torch\.autograd\.(grad$|functional\.)"],
        Reason.DISTRIBUTED: [r"torch\.distributed\."],
        Reason.AUTOGRAD_FUNCTION: [r"syntax:(mark_dirty|apply\(x, x\)|Function)"],
        Reason.HOOK: [
            r"torch\.Tensor\.(retain_grad|register_hook|register_post)",
            r"torch\.nn\.Module\.register_.*hook",
        ],
        Reason.SPARSE: [
            r"torch\.Tensor\.(ccol_indices|coalesce|col_indices|crow_indices|dense_dim|indices|is_coalesced)",
            r"torch\.Tensor\.(row_indices|smm|sparse_|to_dense|to_sparse|values|sspaddmm)",
            r"torch\.(sparse|smm|sspaddmm|hspmm)",
        ],
        Reason.NESTED_TENSOR: [r"torch\.nested\.", r"torch\.Tensor\.to_padded_tensor", r"torch\.nested_"],
        Reason.AUTOGRAD_STATE: [
            r"torch\.(Tensor\.is_inference|is_inference|is_inference_mode_enabled)$",
            r"(with:)?torch\.autograd\.(set_detect_anomaly|detect_anomaly|graph)",
        ],
        Reason.EXPLICIT_BREAK: [r"torch\._dynamo\.(graph_break|disable|skip)", r"torch\.compiler\.disable"],
        Reason.HOST_READ: [
            r"torch\.Tensor\.(item|tolist|is_nonzero|__bool__|__int__|__float__|__index__)(\||$)",
            r"torch\.is_nonzero",
            r"syntax:(int|float|complex|range|list)\(",
            r"syntax:\[float",
            r"(builtins\.range|math\.\w+)\|tensor$",
            r"syntax:math\.",
            r"syntax:value in",
            r"syntax:if item",
            r"syntax:item in backward",
        ],
        Reason.DATA_DEPENDENT_INDEX: [r".*__getitem__\|scalar-tensor$", r"syntax:(x\[scalar|x\[:n|list\[|range\[)"],
        Reason.BRANCH_ON_DATA: [
            r"syntax:(if tensor|if \(x|while tensor|x if tensor|tensor and|not tensor|any\(|all\(|bool\()"
        ],
        Reason.DYNAMIC_SHAPE: [
            r"torch\.(nn\.functional\.)?(one_hot|repeat_interleave|unique|nonzero|bincount)",
            r"torch\.Tensor\.(unique|nonzero|bincount|repeat_interleave)",
            r"syntax:(x\[mask|if x\[mask|if nonzero|for row in nonzero)",
        ],
        Reason.ASSERT_ON_DATA: [r"syntax:assert", r"torch\._assert"],
        Reason.DATA_DEPENDENT_OP: [
            r"numpy\.pad$",
            r"torch\.(Tensor\.)?(equal|allclose|corrcoef|cov|nanquantile|quantile|istft|tensor_split)(\||$)",
            r"(layer:)?torch\..*[gG]aussian_?(NLLLoss|nll_loss)",
            r".*\|computed-size$",
        ],
    }.items()
    for pattern in patterns
)

# Patterns over graph-break types and over the messages of torch 2.5 and 2.6, first match wins.
_BY_WORDS: tuple[tuple[str, Reason], ...] = (
    (
        r"Data-dependent branching|generic_jump|Dynamic control flow|^_gb_type$|guard_scalar branch",
        Reason.BRANCH_ON_DATA,
    ),
    (r"[Dd]ata-dependent assertion|assert with non-string|torch\._check", Reason.ASSERT_ON_DATA),
    (r"Tensor\.item\b|tolist|_local_scalar_dense", Reason.HOST_READ),
    (
        r"[Dd]ynamic slicing|Indexing (list|torch\.Size) with non-scalar|index\(Tensor\)|__getitem__ with non-constant",
        Reason.DATA_DEPENDENT_INDEX,
    ),
    (
        r"^Dynamic shape operator|dynamic shape operator|data-dependent output shape|"
        r"unbacked SymInt|data-dependent torch\.Size",
        Reason.DYNAMIC_SHAPE,
    ),
    (r"Data dependent operator|data dependent operator|data-dependent|Data-dependent", Reason.DATA_DEPENDENT_OP),
    (r"RNN, GRU", Reason.RNN),
    (
        r"[Cc]ontext manager|contextlib|BEFORE_WITH|saved_tensors_hooks|use_mem_pool|record_function|profiler object",
        Reason.CONTEXT_MANAGER,
    ),
    (r"[Ll]ogger|logging|reorder a debugging", Reason.LOGGER),
    (r"builtin: print", Reason.PRINT),
    (r"time function", Reason.CLOCK),
    (r"random\.Random|random_stream", Reason.PYTHON_RANDOM),
    (r"torch\.\* op returned non-Tensor", Reason.RETURNS_PYTHON_VALUE),
    (r"sparse|Sparse", Reason.SPARSE),
    (r"[Nn]ested_?[Tt]ensor", Reason.NESTED_TENSOR),
    (r"TorchScript|ScriptModule|FakeScript|torch\.jit|wrap_jit", Reason.SCRIPTED_MODULE),
    (r"optimizer|Optimizer", Reason.OPTIMIZER),
    (r"requires_grad=True|requires_grad", Reason.REQUIRES_GRAD_WRITE),
    (r"nn\.Parameter|nn_parameter|parameter construction", Reason.PARAMETER_CONSTRUCTION),
    (
        r"mutate tensor data|set tensor attribute|Tensor\.(data|grad_dtype)|Parameter\.data",
        Reason.TENSOR_ATTRIBUTE_WRITE,
    ),
    (r"resize|Tensor\.set_\(", Reason.TENSOR_RESIZE),
    (r"share_memory|[Dd]ata pointer|data_ptr|COW tensor|dlpack", Reason.TENSOR_SHARING),
    (r"deepcopy a tensor", Reason.TENSOR_COPY),
    (r"deepcopy|skip function copy", Reason.OBJECT_COPY),
    (r"repr\(\) on tensor", Reason.TENSOR_TEXT),
    (r"sort with non-constant", Reason.TENSOR_SORT),
    (r"Tensor\.backward|backward\(\)|ImperativeEngine", Reason.BACKWARD_CALL),
    (r"autograd\.grad|_autograd_grad", Reason.AUTOGRAD_GRAD),
    (r"autograd\.Function|autograd_function|custom (jvp|vjp)|AutogradFunction", Reason.AUTOGRAD_FUNCTION),
    (r"inference|grad_fn|dual tensor|anomaly", Reason.AUTOGRAD_STATE),
    (r"[Hh]ook|retain_grad", Reason.HOOK),
    (r"numpy|NumPy|ndarray", Reason.NUMPY),
    (r"[Oo]paque|torch\.Generator", Reason.GENERATOR_OBJECT),
    (r"convert args/kwargs to proxy|call_function args", Reason.OPAQUE_ARGUMENT),
    (
        r"HOP: (Unsafe|Non-nullified) side effect|not in the current scope \(SideEffects\)|"
        r"Module mutation in HigherOrderOp",
        Reason.OUTER_WRITE,
    ),
    (
        r"^HOP|HigherOrder|higher order|torch\.(cond|while_loop|scan|map|switch|associative_scan)|invoke_subgraph|"
        r"flex_gemm|FlexAttention|strict_mode|out_dtype|hints_wrapper|executorch|wrap_with|"
        r"leaf_function|nonstrict|triton|checkpoint context_fn|functorch|functional_call|vmap",
        Reason.HIGHER_ORDER_OP,
    ),
    (r"P2P|distributed|async_op|FSDP|collective|rank-relative", Reason.DISTRIBUTED),
    (r"[Ii]mport", Reason.IMPORT),
    (r"as_subclass|tensor subclass|[Ss]ubclass default", Reason.TENSOR_SUBCLASS),
    (
        r"fake tensor|FakeTensor|Failed running call_|pt2.compliant|PT2-compliant|meta kernel|device mismatch|out=",
        Reason.FAKE_TENSOR,
    ),
    (r"_dynamo\.(graph_break|disable|skip_frame|step_unsupported)|compiler\.disable|Comptime", Reason.EXPLICIT_BREAK),
    (r"Graph break in inlined|graph break in loop|Graph break under Generic", Reason.NESTED_BREAK),
    (r"recompile limit|cache limit|RestartAnalysis", Reason.RECOMPILE_LIMIT),
    (
        r"marked as skipped|skip function|inline in skipfiles|unsupported (Python )?builtin|skipped function",
        Reason.SKIPPED_CALLABLE,
    ),
    (
        r"builtin operator|^builtin: |builtin op|nb_|tp_|sq_|mp_|bytearray|call_id|"
        r"python_type|isinstance\(\)|issubclass\(\)",
        Reason.UNTRACEABLE_BUILTIN,
    ),
    (r"[Ee]xception|raise \.\.\.", Reason.OBSERVED_EXCEPTION),
    (r"nn\.Module|NNModule|setattr\(\) on unsupported", Reason.MODULE_STATE),
    (r"itertools|iter\(|next\(|[Gg]enerator|tp_iter|UNPACK|enum", Reason.UNSUPPORTED_ITERATION),
    (r"attribute|getattr|hasattr|setattr", Reason.UNSUPPORTED_ATTRIBUTE),
    (r"method|__self__", Reason.UNSUPPORTED_METHOD),
    (
        r"bytecode|BUILD_CLASS|build_class|BUILD_STRING|CALL_INTRINSIC|MAKE_CELL|"
        r"Comprehension|SEND|local variable|cell",
        Reason.UNSUPPORTED_SYNTAX,
    ),
    (
        r"function call|callable object|partial|wraps|bind arguments|too many positional|call_function",
        Reason.UNSUPPORTED_CALL,
    ),
)

_KEY_RULES = tuple((re.compile(pattern), reason) for pattern, reason in _BY_KEY)
_WORD_RULES = tuple((re.compile(pattern), reason) for pattern, reason in _BY_WORDS)


def reason_of_key(key: str) -> Reason | None:
    """The reason that a key alone decides, None where Dynamo's words must be read."""
    return next((reason for pattern, reason in _KEY_RULES if pattern.match(key)), None)


def reason_of_words(words: str) -> Reason:
    """The reason that a graph-break type or message speaks of; OTHER where no pattern fits."""
    return next((reason for pattern, reason in _WORD_RULES if pattern.search(words)), Reason.OTHER)
