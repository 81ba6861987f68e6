"""What the interpreter believes of parameters: by annotation, default, use, and name as the last resort."""

from __future__ import annotations

from tests.support.reveal import check


def test_tensor_types_carry_the_dtypes_that_decide() -> None:
    """Whether a tensor is boolean or integer decides at an index; float is what all others are."""
    check("""
        def f(a: Tensor, b: torch.LongTensor, c: torch.BoolTensor, d: torch.FloatTensor, e: torch.cuda.LongTensor):
            reveal_type(a)  # tensor input
            reveal_type(b)  # tensor int input
            reveal_type(c)  # tensor bool input
            reveal_type(d)  # tensor input
            reveal_type(e)  # tensor int input
    """)


def test_optional_keeps_both_arms() -> None:
    check("""
        def f(a: Optional[Tensor], b: Tensor | None, c: Union[int, Tensor], d: "Tensor" = None):
            reveal_type(a)  # None | tensor input
            reveal_type(b)  # None | tensor input
            reveal_type(c)  # int | tensor input
            reveal_type(d)  # None | tensor input
    """)


def test_annotations_in_quotes_mean_the_same() -> None:
    check("""
        def f(x: Tensor, a: "Tensor", b: "Optional[torch.Tensor]", c: Optional["Tensor"], d: "list[Tensor]"):
            reveal_type(a)  # tensor input
            reveal_type(b)  # None | tensor input
            reveal_type(c)  # None | tensor input
            reveal_type(d)  # list[tensor input]
    """)


def test_containers_of_tensors() -> None:
    check("""
        def f(x: Tensor, a: list[Tensor], b: Tuple[Tensor, int], c: tuple[Tensor, ...], d: Dict[str, Tensor],
              e: Sequence[Tensor], g: tuple[Tensor, Optional[Tensor]]):
            reveal_type(a)  # list[tensor input]
            reveal_type(b)  # tuple(tensor input, int)
            reveal_type(c)  # tuple[tensor input]
            reveal_type(d)  # dict(...: tensor input)
            reveal_type(e)  # list[tensor input]
            reveal_type(g)  # tuple(tensor input, None | tensor input)
    """)


def test_plain_types_are_numbers_of_unknown_value() -> None:
    check("""
        def f(x: Tensor, a: int, b: float, c: bool = False, d: str = "mean", e: Literal["sum", "mean"] = "sum"):
            reveal_type(a)  # int
            reveal_type(b)  # float
            reveal_type(c)  # bool
            reveal_type(d)  # str
            reveal_type(e)  # str
    """)


def test_wrappers_say_nothing_of_their_own() -> None:
    check("""
        def f(x: Annotated[Tensor, "batch"], y: Final[Optional[Tensor]] = None):
            reveal_type(x)  # tensor input
            reveal_type(y)  # None | tensor input
    """)


def test_jaxtyping_shapes_are_tensors() -> None:
    check("""
        from jaxtyping import Bool, Float, Int

        def f(x: Float[Tensor, "batch dim"], y: Int[torch.Tensor, "batch"], z: Bool[Tensor, ""]):
            reveal_type(x)  # tensor input
            reveal_type(y)  # tensor int input
            reveal_type(z)  # tensor bool input
    """)


def test_a_text_beside_a_tensor_type_is_its_shape_whatever_library_reads_it() -> None:
    check("""
        from typing import Literal
        from shapes_of_ours import Long, Table

        def f(x: Long[Tensor, "batch"], t: Table[Tensor], u: Table[Tensor, int], k: Table[str, "key"], m: Literal["a"]):
            reveal_type(x)  # tensor int input
            reveal_type(t)  # ?
            reveal_type(u)  # ?
            reveal_type(k)  # ?
            reveal_type(m)  # str
    """)


def test_an_alias_is_looked_through() -> None:
    check(
        {
            "app.py": """
            from shapes import Mask, Images

            def f(x: Images, m: Mask, t: Tensor):
                reveal_type(x)  # list[tensor input]
                reveal_type(m)  # None | tensor bool input
        """,
            "shapes.py": """
            Mask = Optional[torch.BoolTensor]
            Images = list[Tensor]
        """,
        }
    )


def test_a_typed_dict_has_its_entries() -> None:
    check("""
        class Base(TypedDict):
            ids: Tensor

        class Batch(Base, total=False):
            mask: Optional[Tensor]
            size: int

        def f(batch: Batch, x: Tensor):
            reveal_type(batch["ids"])  # tensor input
            reveal_type(batch["mask"])  # None | tensor input
            reveal_type(batch.get("size"))  # int
    """)


def test_a_dataclass_has_its_fields() -> None:
    check("""
        @dataclass
        class Batch:
            ids: torch.LongTensor
            mask: Optional[Tensor] = None
            size: int = 0

        def f(batch: Batch, x: Tensor):
            reveal_type(batch)  # object Batch
            reveal_type(batch.ids)  # tensor int input
            reveal_type(batch.mask)  # None | tensor input
            reveal_type(batch.size)  # int
    """)


def test_a_model_output_of_a_library_is_followed_into_its_source() -> None:
    check(
        {
            "app.py": """
            from lib.outputs import Output

            def f(out: Output, x: Tensor):
                reveal_type(out.logits)  # None | tensor float input
                reveal_type(out["logits"])  # None | tensor float input
        """,
            "lib/__init__.py": "",
            "lib/outputs.py": """
            from collections import OrderedDict

            class ModelOutput(OrderedDict):
                pass

            @dataclass
            class Output(ModelOutput):
                logits: torch.FloatTensor = None
        """,
        }
    )


def test_a_class_of_the_program_is_an_object() -> None:
    check("""
        class Config:
            def __init__(self, hidden):
                self.hidden = hidden

        def f(x: Tensor, config: Config, other: "Config", third: Optional[Config] = None):
            reveal_type(config)  # object Config
            reveal_type(other)  # object Config
            reveal_type(third)  # None | object Config
    """)


def test_library_types() -> None:
    check("""
        def f(x: Tensor, a: np.ndarray, b: nn.Linear, c: nn.Parameter, d: torch.device, e: torch.Size):
            reveal_type(a)  # array input
            reveal_type(b)  # instance torch.nn.Linear
            reveal_type(c)  # tensor parameter
            reveal_type(d)  # instance torch.device
            reveal_type(e)  # tuple[int]
    """)


def test_star_parameters_hold_what_is_annotated() -> None:
    check("""
        def f(x: Tensor, *rest: Tensor, **named: Optional[Tensor]):
            reveal_type(rest)  # tuple[tensor input]
            reveal_type(rest[0])  # tensor input
            reveal_type(named["mask"])  # None | tensor input
    """)


def test_a_typevar_bound_to_nothing_is_unknown() -> None:
    check("""
        T = TypeVar("T")

        def f(x: Tensor, y: T, z: "NoSuchName", w: Any):
            reveal_type(y)  # ?
            reveal_type(z)  # ?
            reveal_type(w)  # ?
    """)


def test_an_annotation_is_a_hint_and_the_caller_is_right() -> None:
    check("""
        def step(t: int):
            reveal_type(t)  # tensor 0-d computed likely

        def f(x: Tensor):
            step(x.float().sum())
    """)


def test_a_local_annotation_speaks_where_the_value_does_not() -> None:
    check("""
        import config

        def f(x: Tensor):
            scale: Tensor = config.load()
            size: int = x.shape[0]
            reveal_type(scale)  # tensor input
            reveal_type(size)  # int shape
    """)


def test_a_global_that_holds_none_is_no_alias_of_the_type_of_none() -> None:
    check(
        """
        Array = None
        Batch = Optional[Tensor]

        def f(x: Array, y: Batch):
            reveal_type(x)  # ?
            reveal_type(y)  # None | tensor input
    """,
        ("all",),
    )


# ------------------------------------------------------------ without an annotation


def test_a_default_gives_the_type() -> None:
    check("""
        def f(x: Tensor, a=1, b=0.5, c=False, d="mean", e=None):
            reveal_type(a)  # int
            reveal_type(b)  # float
            reveal_type(c)  # bool
            reveal_type(d)  # str
            reveal_type(e)  # ? | None
    """)


def test_use_as_a_tensor_makes_a_tensor_likely() -> None:
    check("""
        def f(t: Tensor, a, b, c, d):
            a.masked_fill(t, 0), b[:, None], F.relu(c), d @ t
            reveal_type(a)  # tensor input likely
            reveal_type(b)  # tensor input likely
            reveal_type(c)  # tensor input likely
            reveal_type(d)  # tensor input likely
    """)


def test_arithmetic_and_conversion_prove_nothing() -> None:
    check("""
        def f(t: Tensor, n, m, o, p):
            n + 1, int(m), o > 0, len(p), p[0]
            reveal_type(n)  # ?
            reveal_type(m)  # ?
            reveal_type(o)  # ?
            reveal_type(p)  # ?
    """)


def test_names_are_the_last_resort() -> None:
    check("""
        class Net(nn.Module):
            def forward(self, hidden_states, config, attention_mask=None, return_dict=True):
                reveal_type(hidden_states)  # tensor input likely
                reveal_type(config)  # ?
                reveal_type(attention_mask)  # None | tensor input likely
                reveal_type(return_dict)  # bool

        def helper(t: Tensor, hidden_states):
            reveal_type(hidden_states)  # tensor input possible
    """)


def test_self_and_cls_are_what_they_are_bound_to() -> None:
    check("""
        class Net(nn.Module):
            def forward(self, x):
                reveal_type(self)  # object Net

            @classmethod
            def build(cls, x: Tensor):
                reveal_type(cls)  # class Net

            @staticmethod
            def mix(x: Tensor, y: Tensor):
                reveal_type(x)  # tensor input
    """)


def test_a_class_that_adds_nothing_to_tensors_is_a_name_for_them() -> None:
    check("""
        class Matrix(torch.Tensor):
            "Two dimensions."

        class Gramian(Matrix):
            "A product of a matrix with itself."

        class Own(torch.Tensor):
            def item(self):
                return 3

        class Net(nn.Module):
            def forward(self, a: Gramian, b: Matrix | None, c: Own):
                reveal_type(a)  # tensor input
                reveal_type(b)  # None | tensor input
                reveal_type(c)  # object Own
    """)
