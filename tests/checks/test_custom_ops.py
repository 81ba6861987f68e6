"""CL62x on small programs: what an operator lacks, and the many ways in which it lacks nothing."""

from __future__ import annotations

import pytest

from compilelint.model import Confidence
from tests.support.survey_events import codes, found, said

LIKELY, POSSIBLE, CERTAIN = Confidence.LIKELY, Confidence.POSSIBLE, Confidence.CERTAIN
OP = """
@torch.library.custom_op("a::op", mutates_args=())
def op(x: Tensor) -> Tensor:
    return x.clone()
"""
DEFINED = """
lib = torch.library.Library("a", "DEF")
lib.define("op(Tensor x) -> Tensor")
"""


def test_a_custom_op_without_fake_is_found() -> None:
    assert said(OP) == [("CL620", LIKELY)]


@pytest.mark.parametrize(
    "fake",
    [
        pytest.param("@op.register_fake\ndef _(x): return x", id="decorator of the operator"),
        pytest.param("op.register_fake(lambda x: x)", id="called on the operator"),
        pytest.param('@torch.library.register_fake("a::op")\ndef _(x): return x', id="by name"),
        pytest.param("@torch.library.register_fake(op)\ndef _(x): return x", id="by object"),
        pytest.param('@torch.library.impl_abstract("a::op")\ndef _(x): return x', id="name of torch 2.2"),
        pytest.param('reg = torch.library\n_register_fake("a::op")', id="through an alias"),
        pytest.param('torch.library.impl("a::op", "Meta")(lambda x: x)', id="meta kernel"),
    ],
)
def test_every_way_to_register_a_fake_counts(fake: str) -> None:
    assert codes(OP + fake) == []


def test_a_fake_in_another_file_counts() -> None:
    assert codes(OP, '@torch.library.register_fake("a::op")\ndef _(x): return x') == []


def test_a_registration_that_names_no_literal_lowers_confidence() -> None:
    assert said(OP + "for n in names: torch.library.register_fake(n)(shape)") == [("CL620", POSSIBLE)]


def test_numpy_inside_an_operator_is_where_it_belongs() -> None:
    program = OP.replace("x.clone()", "torch.from_numpy(x.numpy())") + "op.register_fake(lambda x: x)"
    assert codes(program) == []


@pytest.mark.parametrize(
    ("kernel", "reported"),
    [
        pytest.param('lib.impl("op", lambda x: x, "CPU")', [("CL621", LIKELY)], id="CPU only"),
        pytest.param('torch.library.impl("a::op", "cuda")(lambda x: x)', [("CL621", LIKELY)], id="function, CUDA"),
        pytest.param("", [("CL621", POSSIBLE)], id="kernels are in C++"),
        pytest.param('lib.impl("op", lambda x: x)', [], id="for all backends"),
        pytest.param('lib.impl("op", lambda x: x, "CompositeExplicitAutograd")', [], id="composite"),
        pytest.param('lib.impl("op", f, "CPU"); lib.impl("op", f, "Meta")', [], id="meta kernel"),
    ],
)
def test_kernels_for_devices_need_a_fake(kernel: str, reported: list[tuple[str, Confidence]]) -> None:
    assert said(DEFINED + kernel) == reported


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("x.add_(1)", id="method"),
        pytest.param("x[0] = 1", id="item"),
        pytest.param("x += 1", id="augmented"),
        pytest.param("torch.add(x, 1, out=x)", id="out"),
        pytest.param("x.data.mul_(2)", id="data"),
    ],
)
def test_a_write_that_is_not_declared_is_found(body: str) -> None:
    program = OP.replace("return x.clone()", f"{body}\n    return x.clone()") + "op.register_fake(lambda x: x)"
    assert said(program) == [("CL622", CERTAIN)]
    assert codes(program.replace("mutates_args=()", 'mutates_args=("x",)')) == []


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("x = x.clone()\n    x.add_(1)", id="a copy is changed"),
        pytest.param("y = torch.empty(3)\n    y.copy_(x)", id="a new tensor is changed"),
        pytest.param("x.share_memory_()", id="no data is changed"),
        pytest.param("x.add(1)", id="out of place"),
    ],
)
def test_what_writes_no_argument_is_left_alone(body: str) -> None:
    program = OP.replace("return x.clone()", f"{body}\n    return x.clone()") + "op.register_fake(lambda x: x)"
    assert codes(program) == []


def test_a_count_that_goes_up_is_no_tensor() -> None:
    program = OP.replace("x: Tensor)", "x: Tensor, n: int)").replace("return", "n += 1\n    return")
    assert codes(program + "op.register_fake(lambda x, n: x)") == []


def test_a_mark_in_the_schema_declares() -> None:
    program = """
torch.library.define("a::op", "(Tensor{} x, int[] n) -> ()")
@torch.library.impl("a::op", "cpu")
def op(x, n): x.add_(1)
torch.library.register_fake("a::op")(f)
"""
    (finding,) = found(program.format(""))
    assert finding.rule.code == "CL622"
    assert "(a!)" in finding.help
    assert codes(program.format("(a!)")) == []


def test_unknown_mutations_are_left_alone() -> None:
    program = OP.replace("mutates_args=()", "mutates_args=NAMES").replace("return", "x.add_(1)\n    return")
    assert codes(program + "op.register_fake(lambda x: x)") == []


def test_a_missing_gradient_is_possible_where_the_file_trains() -> None:
    fake = OP + "op.register_fake(lambda x: x)\n"
    assert codes(fake) == []
    assert said(fake + "def t(x): op(x).sum().backward()") == [("CL623", POSSIBLE)]
    assert codes(fake + "op.register_autograd(b)\ndef t(x): op(x).sum().backward()") == []


@pytest.mark.parametrize(
    ("call", "reported"),
    [
        pytest.param("torch.ops.elsewhere.op(x)", ["CL624"], id="it is registered nowhere"),
        pytest.param("torch.ops.aten.sin.default(x)", [], id="torch itself"),
        pytest.param("torch.ops.torchvision.nms(x, x, 1)", [], id="a library of torch"),
        pytest.param("torch.ops.load_library(x)", [], id="no operator at all"),
    ],
)
def test_operators_of_unknown_namespaces(call: str, reported: list[str]) -> None:
    assert codes(f"def f(x: Tensor):\n    return {call}") == reported


def test_an_operator_of_another_linted_file_is_known() -> None:
    assert codes("def f(x: Tensor):\n    return torch.ops.a.op(x)", OP + "op.register_fake(lambda x: x)") == []


NATIVE = """
import ctypes
from torch.utils.cpp_extension import load
ext = load("ext", ["ext.cpp"])
libc = ctypes.CDLL("libc.so.6")
"""


@pytest.mark.parametrize(
    ("use", "reported"),
    [
        pytest.param(
            "class M(nn.Module):\n    def forward(self, x): return ext.run(x)", [("CL625", CERTAIN)], id="forward"
        ),
        pytest.param("def f(x: Tensor): return ext.run(x)", [("CL625", LIKELY)], id="takes a tensor"),
        pytest.param("def f(n): return libc.abs(n)", [("CL626", POSSIBLE)], id="host code by its looks"),
        pytest.param("version = libc.version()", [], id="at import"),
        pytest.param(
            '@torch.library.custom_op("a::b", mutates_args=())\ndef b(x: Tensor) -> Tensor: return ext.run(x)\n'
            "b.register_fake(lambda x: x)",
            [],
            id="inside an operator",
        ),
        pytest.param("@torch.compiler.disable\ndef f(x: Tensor): return ext.run(x)", [], id="disabled function"),
    ],
)
def test_native_calls(use: str, reported: list[tuple[str, Confidence]]) -> None:
    assert said(NATIVE + use) == reported


KERNEL = """
import triton
@triton.jit
def kernel(x): pass
"""


@pytest.mark.parametrize(
    ("launch", "reported"),
    [
        pytest.param("{op}def f(x): kernel[(1,)](x)", ["CL627"], id="raw in a triton_op"),
        pytest.param("{op}def f(x): torch.library.wrap_triton(kernel)[(1,)](x)", [], id="wrapped"),
        pytest.param("def f(x): kernel[(1,)](x)", [], id="raw in a plain function is traced"),
        pytest.param("{op}def f(x): table[(1,)](x)", [], id="no kernel"),
    ],
)
def test_launches_in_a_triton_op(launch: str, reported: list[str]) -> None:
    op = '@torch.library.triton_op("a::k", mutates_args=())\n'
    assert codes(KERNEL + launch.format(op=op)) == reported


def test_an_operator_that_only_writes_what_it_declares_needs_no_fake() -> None:
    writes = '@torch.library.custom_op("a::op", mutates_args={})\ndef op(x: Tensor) -> None:\n    {}'
    assert said(writes.format('("x",)', "x.fill_(1)")) == []
    assert said(writes.format("()", "pass")) == [("CL620", LIKELY)]  # measured: compiling raises
    defined = 'lib = torch.library.Library("a", "DEF")\nlib.define("{}")\nlib.impl("op", lambda x: None, "CPU")'
    assert said(defined.format("op(Tensor(a!) x) -> ()")) == []
    assert "CL621" in codes(defined.format("op(Tensor(a!) x) -> Tensor"))


def test_a_declaration_is_about_its_own_function_where_names_are_shared() -> None:
    one = '    @torch.library.custom_op("a::op", mutates_args={})\n    def op(x: Tensor) -> None:\n        {}\n'
    program = "def first():\n" + one.format('("x",)', "x.fill_(1)") + "def second():\n" + one.format("()", "print(x)")
    assert "CL622" not in codes(program)
    assert "CL622" in codes("def first():\n" + one.format("()", "x.fill_(1)"))


HELPER = """
def register(name):
    def decorator(f):
        return torch.library.{}(f"{{name}}"{})(f)
    return decorator
@register("a::op")
def op(x: Tensor) -> Tensor:
    return x.clone()
"""


def test_a_helper_registers_what_the_function_that_it_calls_registers() -> None:
    assert codes(DEFINED + 'lib.impl("op", lambda x: x, "CPU")' + HELPER.format("register_fake", "")) == []
    assert codes(HELPER.format("custom_op", ", mutates_args=()")) == ["CL620"]
    both = HELPER.format("custom_op", ", mutates_args=()").replace("return torch", "op = torch")
    assert (
        codes(
            both.replace("    return decorator", "        op.register_fake(f)\n        return op\n    return decorator")
        )
        == []
    )


def test_an_operator_that_gives_back_what_it_writes_is_tagged_so() -> None:
    tagged = '@torch.library.custom_op("a::op_", mutates_args={{"x"}}{})\ndef op_(x: Tensor) -> Tensor:\n    return x'
    assert codes(tagged.format(", tags=torch.Tag.inplace")) == []
    assert codes(tagged.format("")) == ["CL620"]


FORMULA = """
@torch.library.custom_op("a::op", mutates_args=())
def op(x: Tensor) -> Tensor:
    return x * x
@op.register_fake
def _(x): return torch.empty_like(x)
@torch.library.custom_op("a::op_backward", mutates_args=())
def op_backward(g: Tensor, x: Tensor) -> Tensor:
    return 2 * g * x
@op_backward.register_fake
def _(g, x): return torch.empty_like(g)
def setup(ctx, inputs, output): ctx.save_for_backward(*inputs)
def formula(ctx, g): return op_backward(g, *ctx.saved_tensors)
op.register_autograd(formula, setup_context=setup)
def step(x): op(x).sum().backward()
"""


def test_an_operator_that_only_a_backward_formula_calls_needs_no_gradient() -> None:
    assert codes(FORMULA) == []
    assert codes(FORMULA + "def other(x): return op_backward(x, x)") == ["CL623"]


def test_an_operator_in_cpp_whose_fake_is_here_is_known() -> None:
    use = "def f(x: Tensor): return torch.ops.native.op(x)\n"
    assert codes(use) == ["CL624"]
    assert codes(use.replace("return ", "")) == []
    assert codes(use + '@torch.library.register_fake("native::op")\ndef _(x): return torch.empty_like(x)') == []


TRAINED = """
@torch.library.{how}("a::k", mutates_args=())
def k(x: Tensor) -> Tensor:
    return x.clone()
@k.register_fake
def _(x): return torch.empty_like(x)
def step(x): k(x).sum().backward()
"""


def test_a_triton_op_is_differentiated_by_what_it_calls() -> None:
    assert codes(TRAINED.format(how="custom_op")) == ["CL623"]
    assert codes(TRAINED.format(how="triton_op")) == []
