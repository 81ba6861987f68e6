"""What Dynamo does at calls of torchvision, for projects that are looked at without it.

Where torchvision is installed its sources are followed, and this is not asked. Each name was run with torchvision
0.28.0 under torch 2.13.0: what ends its first graph is named by the fact of torch that it is like. Run, and clean:
Grayscale, CenterCrop, Resize, Pad, FiveCrop, TenCrop, Lambda, ConvertImageDtype, ElasticTransform,
LinearTransformation, and of `v2` Normalize too; of the functions gaussian_blur, resize, rotate, crop, pad, flips and
colours; of `ops` box_iou, box_convert, box_area, clip_boxes_to_image, roi_align, roi_pool, deform_conv2d,
sigmoid_focal_loss, stochastic_depth.
"""

from __future__ import annotations

from typing import Final

_READS = "torch.Tensor.item"  # a random number becomes a Python number
_BRANCHES = "syntax:if tensor"  # `if torch.rand(1) < self.p`
_CHOOSES = "random.random"  # Python's generator
_SIZES = "torch.nonzero"  # how many come out is data

_TRANSFORMS = {
    _READS: """
        ColorJitter GaussianBlur RandomResizedCrop RandomCrop RandomRotation RandomAffine RandomInvert RandomPosterize
        RandomSolarize RandomAdjustSharpness RandomAutocontrast RandomEqualize AutoAugment RandAugment
        TrivialAugmentWide AugMix
    """,
    _BRANCHES: """
        RandomGrayscale RandomHorizontalFlip RandomVerticalFlip RandomPerspective RandomErasing RandomApply Normalize
    """,
    _CHOOSES: "RandomChoice RandomOrder",
}
_OF_V2 = {
    _READS: "ColorJitter GaussianBlur RandomResizedCrop RandomCrop RandomRotation",
    _BRANCHES: "RandomGrayscale RandomHorizontalFlip RandomApply",
}
_FUNCTIONS = {
    _BRANCHES: "transforms.functional.normalize",
    _SIZES: """
        transforms.functional.perspective ops.nms ops.batched_nms ops.remove_small_boxes ops.boxes.nms
        ops.boxes.batched_nms ops.boxes.remove_small_boxes
    """,
}


def _named(prefixes: tuple[str, ...], table: dict[str, str]) -> dict[str, str]:
    return {p + name: like for like, names in table.items() for name in names.split() for p in prefixes}


TRANSFORMS: Final = {
    **_named(("torchvision.transforms.", "torchvision.transforms.transforms."), _TRANSFORMS),
    **_named(("torchvision.transforms.v2.",), _OF_V2),
}
"""By class: the key of the fact that calling one of its instances is like."""

FUNCTIONS: Final = _named(("torchvision.",), _FUNCTIONS)
"""By function: the key of the fact that calling it is like."""
