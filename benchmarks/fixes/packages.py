"""Builds the recorded cases of five packages that break, tiny, as they were recorded: for `cure --factories`.

vit_pytorch, segmentation_models_pytorch, ultralytics, basicsr and encodec must be importable, with einops, timm, scipy
and torchvision (of which the parts in Python are enough). What else they import and no case uses stands in for itself
here where it is missing: OpenCV (two cases use it: `needs`), torchaudio, matplotlib, polars and the like.

The names and shapes are those of the recording; where it does not show a size of a model, a small one is taken.
`python -m benchmarks.fixes.rerun` says whether each breaks at the recorded lines.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.util
import os
import sys
import tempfile
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

Call = tuple[tuple[Any, ...], dict[str, Any]]
Made = tuple[Any, list[Call]]
_FACTORIES: dict[str, Callable[[], Made]] = {}
_NEEDS: dict[str, tuple[str, ...]] = {}


def recipes() -> dict[str, dict[str, Any]]:
    """By case what `built` takes: the name, and the mode that it was recorded in."""
    return {case: {"case": case, "mode": case.rpartition("/")[2]} for case in _FACTORIES}


def built(recipe: dict[str, Any]) -> Made:
    """What to compile, and its calls. Raises ImportError where a module that a case uses is missing."""
    for name in _NEEDS.get(recipe["case"], ()):
        importlib.import_module(name)
    _stand_in()
    torch.manual_seed(0)
    return _FACTORIES[recipe["case"]]()


def _case(name: str, *needs: str) -> Callable[[Callable[[], Made]], Callable[[], Made]]:
    def add(factory: Callable[[], Made]) -> Callable[[], Made]:
        _FACTORIES[name] = factory
        _NEEDS[name] = needs
        return factory

    return add


def _of(module: str, name: str) -> Any:
    """Imported by name, since the packages are installed only where they are measured."""
    return getattr(importlib.import_module(module), name)


# ------------------------------------------------------------------ what is missing

_UNUSED = (
    "cv2 torchaudio matplotlib matplotlib.pyplot polars lmdb addict yapf skimage psutil requests thop tqdm"
).split()


def _stand_in() -> None:
    """Modules that packages import and no case needs, where they are not installed."""
    os.environ.setdefault("YOLO_CONFIG_DIR", tempfile.gettempdir())  # ultralytics writes its settings there
    tops = {name.partition(".")[0] for name in _UNUSED}
    missing = {top for top in tops if top not in sys.modules and importlib.util.find_spec(top) is None}
    for name in _UNUSED:
        if name.partition(".")[0] in missing:
            sys.modules[name] = _Anything(name)
    _operators()
    if (
        "torchvision.transforms.functional_tensor" not in sys.modules
    ):  # an older torchvision's name for a private module
        functional = importlib.import_module("torchvision.transforms.functional")
        tensors: Any = types.ModuleType("torchvision.transforms.functional_tensor")
        tensors.rgb_to_grayscale = functional.rgb_to_grayscale
        sys.modules[tensors.__name__] = tensors


class _Anything(types.ModuleType):
    """A module that has every name: classes and functions without any effect."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []  # a package
        self.__version__ = "0.0"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name.isupper():
            return 0
        made = type(name, (), {"__init__": lambda self, *args, **named: None, "__call__": lambda self, *args: None})
        setattr(self, name, made)
        return made


def _operators() -> None:
    """torchvision's one compiled operator that cases use, for builds whose compiled half does not load here."""
    if "torchvision" in sys.modules or _loads():
        return
    library = torch.library.Library("torchvision", "DEF")
    _KEPT.append(library)
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    library.impl("nms", torch.compiler.disable(_nms), "CPU")  # as the compiled one, no code to trace
    for name in ("torchvision.extension", "torchvision.ops.boxes"):
        importlib.import_module(name).__dict__["_assert_has_ops"] = lambda: None


def _loads() -> bool:
    """Whether torchvision's compiled half loads; nothing of it is registered where it does not."""
    spec = importlib.util.find_spec("torchvision")
    found = [] if spec is None or spec.origin is None else list(Path(spec.origin).parent.glob("_C*.so"))
    with contextlib.suppress(OSError):
        for one in found:
            torch.ops.load_library(str(one))
            return True
    return False


_KEPT: list[Any] = []


def _nms(boxes: torch.Tensor, scores: torch.Tensor, threshold: float) -> torch.Tensor:
    """Which boxes stay, best first: none that overlaps a better one by more than the threshold."""
    order = scores.sort(descending=True, stable=True).indices
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept: list[int] = []
    for place in order.tolist():
        low = torch.maximum(boxes[kept, :2], boxes[place, :2])
        high = torch.minimum(boxes[kept, 2:], boxes[place, 2:])
        shared = (high - low).clamp(min=0).prod(1)
        if not bool((shared / (area[kept] + area[place] - shared) > threshold).any()):
            kept.append(place)
    return torch.tensor(kept, dtype=torch.long)


# ---------------------------------------------------------------------- vit_pytorch


def _calls(*arguments: Any) -> list[Call]:
    """A call for each tuple of arguments, or for each argument that is none."""
    return [(one if isinstance(one, tuple) else (one,), {}) for one in arguments]


def _images(*batches: int) -> list[Call]:
    return _calls(*(torch.randn(batch, 3, 32, 32) for batch in batches))


def _vit() -> Any:
    vit = _of("vit_pytorch", "ViT")

    return vit(image_size=32, patch_size=8, num_classes=5, dim=16, depth=2, heads=2, mlp_dim=32, dim_head=8)


@_case("vit_pytorch/na/train")
def _na() -> Made:
    navit = _of("vit_pytorch.na_vit", "NaViT")

    model = navit(
        image_size=32, patch_size=8, num_classes=5, dim=16, depth=1, heads=2, mlp_dim=32, dim_head=8,
        token_dropout_prob=0.1,
    )  # fmt: skip
    one, two, three = torch.randn(3, 16, 32), torch.randn(3, 8, 16), torch.randn(3, 32, 16)
    grouped = {"group_images": True, "group_max_seq_len": 12}
    return model, [(([[one, two], [three]],), {}), (([one, two, three],), grouped)]


@_case("vit_pytorch/nanest/eval")
def _nested() -> Made:
    navit = _of("vit_pytorch.na_vit_nested_tensor", "NaViT")

    model = navit(image_size=32, patch_size=8, num_classes=5, dim=16, depth=1, heads=2, mlp_dim=32, dim_head=8)
    return model, [(([torch.randn(3, 16, 32), torch.randn(3, 8, 16)],), {})]


@_case("vit_pytorch/dino/train")
def _dino() -> Made:
    dino = _of("vit_pytorch.dino", "Dino")

    model = dino(_vit(), image_size=32, hidden_layer="to_latent", projection_hidden_size=8, num_classes_K=16,
                 projection_layers=2)  # fmt: skip
    return model, _images(2, 2)


@_case("vit_pytorch/lejepa/train")
def _lejepa() -> Made:
    lejepa = _of("vit_pytorch.lejepa", "LeJEPA")

    model = lejepa(_vit(), image_size=32, hidden_layer="to_latent", projection_hidden_size=8, num_classes_K=16,
                   projection_layers=2)  # fmt: skip
    return model, _images(2)


@_case("vit_pytorch/esvit/train")
def _esvit() -> Made:
    cvt = _of("vit_pytorch.cvt", "CvT")
    es_vit_trainer = _of("vit_pytorch.es_vit", "EsViTTrainer")

    sizes = {f"s{stage}_{name}": value for stage in (1, 2, 3)
             for name, value in (("emb_dim", 8 * stage), ("heads", 1), ("depth", 1), ("mlp_mult", 2))}  # fmt: skip
    model = es_vit_trainer(cvt(num_classes=5, **sizes), image_size=32, hidden_layer="layers", projection_hidden_size=8,
                         num_classes_K=16, projection_layers=2)  # fmt: skip
    return model, _images(2, 2)


def _layer_dropping(home: str, name: str) -> Made:
    kind = _of(f"vit_pytorch.{home}", name)
    model = kind(image_size=32, patch_size=8, num_classes=5, dim=16, depth=2, cls_depth=1, heads=2, mlp_dim=32,
                 dim_head=8, layer_dropout=0.05)  # fmt: skip
    return model, _images(2, 1)


_case("vit_pytorch/cait/train")(functools.partial(_layer_dropping, "cait", "CaiT"))
_case("vit_pytorch/xcit/train")(functools.partial(_layer_dropping, "xcit", "XCiT"))


@_case("vit_pytorch/recorder/eval")
def _recorder() -> Made:
    recorder = _of("vit_pytorch.recorder", "Recorder")

    return recorder(_vit()), _images(2, 1)


@_case("vit_pytorch/extractor/eval")
def _extractor() -> Made:
    extractor = _of("vit_pytorch.extractor", "Extractor")

    return extractor(_vit()), _images(2, 1)


# ------------------------------------------------------ segmentation_models_pytorch


def _segmented(name: str) -> Made:
    losses = importlib.import_module("segmentation_models_pytorch.losses")
    calls = _calls(*((torch.randn(batch, 3, 8, 8), torch.randint(0, 3, (batch, 8, 8))) for batch in (2, 1)))
    return getattr(losses, name)("multiclass", ignore_index=0), calls


_case("segmentation_models_pytorch/loss-Focal-mc/train")(functools.partial(_segmented, "FocalLoss"))
_case("segmentation_models_pytorch/loss-Lovasz-mc/train")(functools.partial(_segmented, "LovaszLoss"))


def _scored(reduction: str) -> Made:
    functional = importlib.import_module("segmentation_models_pytorch.metrics.functional")
    counts = tuple(torch.randint(0, 9, (2, 1)) for _ in range(4))
    nothing = (*(torch.zeros(2, 1, dtype=torch.int64) for _ in range(3)), torch.full((2, 1), 9))  # no class in an image
    asked = {"reduction": reduction}
    return functional.iou_score, [(counts, asked), (nothing, {**asked, "zero_division": "warn"})]


_case("segmentation_models_pytorch/iou-micro/eval")(functools.partial(_scored, "micro-imagewise"))
_case("segmentation_models_pytorch/iou-weighted/eval")(functools.partial(_scored, "macro"))


# ------------------------------------------------------------------------ ultralytics


def _suppressed(*sizes: tuple[int, int, int], **named: Any) -> Made:
    non_max_suppression = _of("ultralytics.utils.nms", "non_max_suppression")

    calls = []
    for batch, rows, boxes in sizes:
        found = torch.rand(batch, rows, boxes)
        found[:, :4] *= 32
        calls.append(((found,), {"conf_thres": 0.3, "iou_thres": 0.5, **named}))
    return non_max_suppression, calls


_TWO = ((2, 7, 50), (1, 7, 70))
_case("ultralytics/nms/eval")(functools.partial(_suppressed, *_TWO))
_case("ultralytics/nms-multi/eval")(functools.partial(_suppressed, *_TWO, multi_label=True))
_case("ultralytics/nms-agn/eval")(functools.partial(_suppressed, *_TWO, agnostic=True, classes=[0, 1]))
_case("ultralytics/nms-rot/eval")(functools.partial(_suppressed, (2, 8, 50), nc=3, rotated=True))


def _boxes(count: int) -> torch.Tensor:
    low = torch.rand(count, 2) * 20
    return torch.cat([low, low + torch.rand(count, 2) * 12 + 1], 1)


@_case("ultralytics/torchnms/eval")
def _torchnms() -> Made:
    torchnms = _of("ultralytics.utils.nms", "TorchNMS")

    return torchnms.nms, _calls((_boxes(30), torch.rand(30), 0.5))


@_case("ultralytics/fn-xyxyxyxy2xywhr/eval", "cv2")
def _corners() -> Made:
    xyxyxyxy2xywhr = _of("ultralytics.utils.ops", "xyxyxyxy2xywhr")

    return xyxyxyxy2xywhr, _calls(torch.rand(5, 4, 2) * 32)


@_case("ultralytics/sam-prompt/eval")
def _prompt() -> Made:
    prompt_encoder = _of("ultralytics.models.sam.modules.encoders", "PromptEncoder")

    model = prompt_encoder(embed_dim=16, image_embedding_size=(4, 4), input_image_size=(64, 64), mask_in_chans=4)
    points = (torch.rand(1, 2, 2) * 64, torch.tensor([[1.0, 0.0]]))
    return model, _calls((points, None, None), (None, torch.rand(1, 4) * 64, torch.randn(1, 1, 16, 16)))


@_case("ultralytics/tal/eval")
def _assigner() -> Made:
    task_aligned_assigner = _of("ultralytics.utils.tal", "TaskAlignedAssigner")

    calls = []
    for count in (4, 0):
        boxes = torch.stack([_boxes(count) for _ in range(2)])
        labels = torch.randint(0, 3, (2, 4, 1)) if count else torch.zeros(2, 0, 1)
        found = torch.stack([_boxes(40) for _ in range(2)])
        calls.append((torch.rand(2, 40, 3), found, torch.rand(40, 2) * 32, labels, boxes,
                      torch.ones(2, count, 1, dtype=torch.bool)))  # fmt: skip
    return task_aligned_assigner(topk=5, num_classes=3), _calls(*calls)


@_case("ultralytics/rtdetr-loss-alone/train", "scipy")
def _rtdetr() -> Made:
    rtdetr_detection_loss = _of("ultralytics.models.utils.loss", "RTDETRDetectionLoss")

    boxes = torch.rand(2, 2, 10, 4) * 0.5 + 0.1
    batch = {"cls": torch.randint(0, 3, (2,)), "bboxes": torch.rand(2, 4) * 0.5 + 0.1, "gt_groups": [1, 1]}
    predicted = (boxes.requires_grad_(), torch.randn(2, 2, 10, 3).requires_grad_())
    return rtdetr_detection_loss(nc=3), _calls((predicted, batch))


def _detection(name: str, kind: str, masks: bool) -> Made:
    default_cfg = _of("ultralytics.utils", "DEFAULT_CFG")

    model = _of("ultralytics.nn.tasks", kind)(f"{name}.yaml", nc=3, verbose=False)
    model.args = default_cfg
    batch = {
        "img": torch.rand(2, 3, 64, 64),
        "batch_idx": torch.tensor([0.0, 0.0, 1.0]),
        "cls": torch.randint(0, 3, (3, 1)).float(),
        "bboxes": torch.rand(3, 4) * 0.4 + 0.2,
    }
    if masks:
        batch["masks"] = torch.randint(0, 2, (2, 16, 16)).float()
        batch["sem_masks"] = torch.randint(0, 3, (2, 16, 16))
    return model, [((batch,), {}), (({name: one.clone() for name, one in batch.items()},), {})]


_case("ultralytics/loss-yolo11n/train")(functools.partial(_detection, "yolo11n", "DetectionModel", False))
_case("ultralytics/loss-yolo11n-seg/train")(functools.partial(_detection, "yolo11n-seg", "SegmentationModel", True))


# ---------------------------------------------------------------------------- basicsr


@_case("basicsr/fn-flow_warp/eval")
def _warped() -> Made:
    flow_warp = _of("basicsr.archs.arch_util", "flow_warp")

    return flow_warp, _calls((torch.randn(1, 3, 8, 8), torch.randn(1, 8, 8, 2)))


@_case("basicsr/fn-ssim_pt/eval", "cv2")
def _similarity() -> Made:
    calculate_ssim_pt = _of("basicsr.metrics.psnr_ssim", "calculate_ssim_pt")

    return calculate_ssim_pt, _calls((torch.rand(1, 3, 16, 16), torch.rand(1, 3, 16, 16), 0))


@_case("basicsr/fn-diffjpeg/eval")
def _jpeg() -> Made:
    diffjpeg = _of("basicsr.utils.diffjpeg", "DiffJPEG")

    return diffjpeg(), _calls((torch.rand(1, 3, 32, 32), 50.0), (torch.rand(2, 3, 30, 30), torch.tensor([40.0, 60.0])))


def _degraded(name: str) -> Made:
    degradations = importlib.import_module("basicsr.data.degradations")
    return getattr(degradations, name), [((torch.rand(2, 3, 8, 8),), {"gray_prob": 0.5})]


_case("basicsr/fn-deg_noise/eval")(functools.partial(_degraded, "random_add_gaussian_noise_pt"))
_case("basicsr/fn-deg_poisson/eval")(functools.partial(_degraded, "random_add_poisson_noise_pt"))


# ---------------------------------------------------------------------------- encodec


def _quantizer() -> Made:
    residual_vector_quantizer = _of("encodec.quantization.vq", "ResidualVectorQuantizer")

    model = residual_vector_quantizer(dimension=16, n_q=4, bins=8, kmeans_iters=2)
    return model, [((torch.randn(2, 16, 10), 75), {}), ((torch.randn(2, 16, 10), 75), {"bandwidth": 0.3})]


def _codec() -> Made:
    encodec_model = _of("encodec.model", "EncodecModel")
    residual_vector_quantizer = _of("encodec.quantization.vq", "ResidualVectorQuantizer")

    sizes: dict[str, Any] = {"channels": 1, "dimension": 16, "n_filters": 4, "ratios": [4, 2], "lstm": 1}
    quantizer = residual_vector_quantizer(dimension=16, n_q=4, bins=8, kmeans_init=False)
    encoder, decoder = (_of("encodec.modules", f"SEANet{part}")(**sizes) for part in ("Encoder", "Decoder"))
    model = encodec_model(encoder, decoder, quantizer, [1.5, 3.0], 800, 1)
    return model, _calls(torch.randn(1, 1, 800), torch.randn(2, 1, 1200))


for _mode in ("eval", "train"):
    _case(f"encodec/vq/{_mode}")(_quantizer)
    _case(f"encodec/forward/{_mode}")(_codec)
