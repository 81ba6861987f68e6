"""Packages other than torch, whichever torch is asked about: each name with the reason why it stands here.

Declared by hand, because measuring them would need all of them installed; what the tables hold on a single name was
measured and goes before. What Dynamo itself says of packages (its skip list, those it puts into the graph) is
measured: see `rules` in the tables.
"""

from __future__ import annotations

SKIPPED = {
    "PIL": "compiled; PIL.Image.fromarray and PIL.Image.new are measured",
    "cv2": "compiled; cv2.resize and cv2.cvtColor are measured",
    "faiss": "compiled, SWIG",
    "h5py": "compiled, reads files",
    "lap": "compiled, Cython",
    "librosa": "calls compiled code: numba, soxr",
    "matplotlib": "holds locks and global figures, draws in compiled code",
    "numba": "its functions are dispatchers in compiled code",
    "pyarrow": "compiled, Cython",
    "pycocotools": "compiled, Cython",
    "scipy": "compiled; scipy.optimize.linear_sum_assignment is measured",
    "shapely": "compiled, ufuncs over GEOS",
    "skimage": "calls compiled code: Cython, SciPy",
    "soundfile": "calls libsndfile through cffi",
    "wandb": "talks to a process of its own",
}
"""By import name, packages every function of which ends the graph (GB0007): Dynamo finds no Python source to enter,
or one that reads files, locks or talks to a server on first contact. A package that is compiled in the analysed
environment need not be here: its `.so` says so."""

NOT_ENTERED = ("torch._dynamo.", "torch._inductor.", "torch._functorch.aot_autograd.")
"""Where Dynamo keeps out of torch's own Python functions: nine in ten of those defined there are skipped (GB0007), by
`trace_rules.lookup` of torch 2.13 and 2.15. What a table holds on a single name goes before."""
REFERENCES = "torch._refs."
"""The operators of torch in Python: most are wrapped in a function of a module that Dynamo skips (GB0007). Of ten that
were run on torch 2.13, six broke, five of them so."""
TRACED_REFERENCES = ("torch._refs.reshape", "torch._refs.sum", "torch._refs.nn.functional.layer_norm")
"""Of these ten, those that are traced; the tenth, `var`, raises."""
ENTERED = (
    "torch._dynamo._trace_wrapped_higher_order_op.",
    "torch._dynamo.compiled_autograd.",
    "torch._dynamo.comptime.",
    "torch._dynamo.external_utils.",
    "torch._dynamo.polyfills.",
    "torch._dynamo.test_case.",
    "torch._inductor.test_operators.",
)
"""The parts of those that it does enter: `trace_rules.MOD_INLINELIST` and its like."""

# Those of `torch._C._dispatch_get_all_op_names()` under torch 2.13 and 2.15.
_OF_TORCH = """
    _c10d_functional _c10d_functional_autograd _dtensor _inductor_test _native _native_aot _quantized _test aten
    c10d c10d_functional coor debug_mode_ops debugprims export flex_gemm flex_lib fsdp inductor inductor_prims
    mempool mkl mkldnn mkldnn_prepacked onednn onnx onnx_symbolic prims profiler quantization quantized rngprims
    sparse static_runtime streams symm_mem
"""
OPERATORS = {
    **dict.fromkeys(_OF_TORCH.split(), "torch"),
    "_c10d": "torch before 2.1",
    "_caffe2": "torch with Caffe2",
    "bitsandbytes": "bitsandbytes",
    "caffe2": "torch with Caffe2",
    "cuda": "torch with CUDA",
    "fbgemm": "fbgemm_gpu",
    "flash_attn": "flash_attn",
    "flash_attn_3": "flash_attn 3",
    "image": "torchvision",
    "metal": "torch for iOS",
    "quantized_decomposed": "torch.ao.quantization",
    "torch_attn": "export of attention to TensorRT",
    "torch_ipex": "intel_extension_for_pytorch",
    "torchao": "torchao",
    "torchaudio": "torchaudio",
    "torchrec": "torchrec",
    "torchvision": "torchvision",
    "video": "torchvision",
    "vulkan": "torch with Vulkan",
    "xformers": "xformers",
    "xnnpack": "torch for mobile",
}
"""Namespaces of `torch.ops` and who registers them when it is imported: no file of a project need do so."""
