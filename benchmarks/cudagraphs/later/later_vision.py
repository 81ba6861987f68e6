"""Vision and geometry: augmentation, anchors, boxes, points, quantizers, normalization."""

import random

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

MEAN = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)


def normalized(x):
    return (x - MEAN.to(x.device)) / STD.to(x.device)


def make_normalized_by_globals():
    return normalized, [((torch.rand(2, 3, 8, 8),), {})]


def normalized_by_list(x):
    mean = torch.tensor([0.485, 0.456, 0.406], device=x.device).view(1, 3, 1, 1)
    return x - mean


def make_normalized_by_list():
    return normalized_by_list, [((torch.rand(2, 3, 8, 8),), {})]


def normalized_as_tensor(x):
    mean = torch.as_tensor([0.485, 0.456, 0.406], dtype=x.dtype).to(x.device)
    return x.sub(mean[None, :, None, None])


def make_normalized_as_tensor():
    return normalized_as_tensor, [((torch.rand(2, 3, 8, 8),), {})]


def flipped(x):
    if random.random() < 0.5:
        x = x.flip(-1)
    return x * 2


def make_flipped_by_chance():
    return flipped, [((torch.rand(2, 3, 8, 8),), {})]


def brightened(x):
    return x * (1 + random.uniform(-0.2, 0.2))


def make_brightened_by_python():
    return brightened, [((torch.rand(2, 3, 8, 8),), {})]


def brightened_by_numpy(x):
    return x * (1 + float(np.random.uniform(-0.2, 0.2)))


def make_brightened_by_numpy():
    return brightened_by_numpy, [((torch.rand(2, 3, 8, 8),), {})]


def brightened_there(x):
    return x * (1 + torch.empty(x.shape[0], 1, 1, 1, device=x.device).uniform_(-0.2, 0.2))


def make_brightened_there():
    return brightened_there, [((torch.rand(2, 3, 8, 8),), {})]


def mixed_up(x, y, lam):
    index = torch.randperm(x.size(0))
    return lam * x + (1 - lam) * x[index], y[index]


def make_mixup_permutation_on_host():
    return mixed_up, [((torch.rand(4, 3, 8, 8), torch.arange(4), 0.3), {})]


def mixed_up_there(x, y, lam):
    index = torch.randperm(x.size(0), device=x.device)
    return lam * x + (1 - lam) * x[index], y[index]


def make_mixup_permutation_there():
    return mixed_up_there, [((torch.rand(4, 3, 8, 8), torch.arange(4), 0.3), {})]


def grid(x):
    h, w = x.shape[-2:]
    ys, xs = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
    where = torch.stack([xs, ys], -1).float().to(x)
    return x[:, :2].permute(0, 2, 3, 1) + where


def make_grid_moved_by_to():
    return grid, [((torch.rand(2, 3, 8, 8),), {})]


class Anchors(nn.Module):
    def __init__(self):
        super().__init__()
        self.anchors = [torch.tensor([[10.0, 13.0], [16.0, 30.0]]), torch.tensor([[30.0, 61.0], [62.0, 45.0]])]

    def forward(self, features):
        return [f.sigmoid() * a.to(f.device).view(1, 2, 2, 1, 1) for f, a in zip(features, self.anchors)]


def make_anchors_in_list():
    return Anchors(), [(([torch.rand(1, 2, 2, 4, 4), torch.rand(1, 2, 2, 2, 2)],), {})]


class AnchorBuffers(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("anchors", torch.rand(2, 2, 2))

    def forward(self, features):
        return [f.sigmoid() * a.view(1, 2, 2, 1, 1) for f, a in zip(features, self.anchors)]


def make_anchors_as_buffer():
    return AnchorBuffers(), [(([torch.rand(1, 2, 2, 4, 4), torch.rand(1, 2, 2, 2, 2)],), {})]


def boxes_clipped(boxes, size):
    h, w = size
    boxes[:, 0::2].clamp_(0, w)
    boxes[:, 1::2].clamp_(0, h)
    return boxes.sum()


def make_boxes_clipped_in_place():
    return boxes_clipped, [((torch.rand(5, 4) * 10, (8, 8)), {})]


def iou(a, b):
    left = torch.max(a[:, None, :2], b[:, :2])
    right = torch.min(a[:, None, 2:], b[:, 2:])
    inter = (right - left).clamp(min=0).prod(-1)
    area = lambda x: (x[:, 2] - x[:, 0]) * (x[:, 3] - x[:, 1])
    return inter / (area(a)[:, None] + area(b) - inter)


def make_iou():
    return iou, [((torch.rand(5, 4), torch.rand(3, 4)), {})]


class Quantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Embedding(16, 4)

    def forward(self, z):
        distance = torch.cdist(z, self.codes.weight)
        chosen = distance.argmin(-1)
        q = self.codes(chosen)
        return z + (q - z).detach(), F.mse_loss(q, z.detach())


def make_vector_quantizer():
    return Quantizer(), [((torch.randn(5, 4),), {})]


class ScalarQuantizer(nn.Module):
    def __init__(self):
        super().__init__()
        self.levels = torch.tensor([8, 5, 5, 5])

    def forward(self, z):
        half = (self.levels - 1).to(z.device) / 2
        bounded = torch.tanh(z) * half
        return bounded + (bounded.round() - bounded).detach()


def make_scalar_quantizer_plain_levels():
    return ScalarQuantizer(), [((torch.randn(5, 4),), {})]


class Histogram(nn.Module):
    def __init__(self):
        super().__init__()
        self.usage = torch.zeros(8)

    def forward(self, x):
        counts = torch.zeros(8, device=x.device).index_add_(0, x.argmax(-1), torch.ones(5, device=x.device))
        return counts / counts.sum()


def make_histogram():
    return Histogram(), [((torch.randn(5, 8),), {})]


def homogeneous(points, matrix):
    ones = torch.ones(points.shape[0], 1).to(points)
    return torch.cat([points, ones], -1) @ matrix.T


def make_homogeneous():
    return homogeneous, [((torch.randn(5, 3), torch.randn(4, 4)), {})]


def rotation_about_z(points, angle):
    c, s = torch.cos(torch.tensor(0.3)), torch.sin(torch.tensor(0.3))
    rotation = torch.tensor([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return points @ rotation.to(points.device) + angle


def make_rotation_made_on_host():
    return rotation_about_z, [((torch.randn(5, 3), torch.zeros(3)), {})]


def whitened(x):
    x = x - x.mean(0)
    covariance = x.T @ x / x.shape[0]
    return x @ torch.linalg.inv(covariance + torch.eye(x.shape[1], device=x.device))


def make_whitened_by_inverse():
    return whitened, [((torch.randn(8, 3),), {})]


def eye_from_host(x):
    return x @ torch.eye(x.shape[1]).to(x.device) + torch.diag(torch.ones(3)).to(x.device).sum()


def make_eye_from_host():
    return eye_from_host, [((torch.randn(8, 3),), {})]


def dropped_patches(x, keep=4):
    noise = torch.rand(x.shape[:2], device=x.device)
    order = noise.argsort(1)[:, :keep]
    return x.gather(1, order[..., None].expand(-1, -1, x.shape[-1]))


def make_dropped_patches():
    return dropped_patches, [((torch.randn(2, 8, 3),), {})]


def saved_image(x):
    y = x.clamp(0, 1)
    return y, (y * 255).byte().cpu()


def make_image_to_host():
    return saved_image, [((torch.rand(3, 8, 8),), {})]


def focal(logits, targets, alpha=torch.tensor(0.25)):
    p = torch.sigmoid(logits)
    ce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    return (alpha * (1 - p) ** 2 * ce).mean()


def make_focal_default_tensor():
    return focal, [((torch.randn(4, 3), torch.rand(4, 3)), {})]


class Blur(nn.Module):
    def __init__(self):
        super().__init__()
        a = torch.tensor([1.0, 2.0, 1.0])
        self.kernel = (a[:, None] * a[None, :] / 16).repeat(3, 1, 1, 1)

    def forward(self, x):
        return F.conv2d(x, self.kernel.type_as(x), padding=1, groups=3)


def make_blur_kernel_plain():
    return Blur(), [((torch.rand(1, 3, 8, 8),), {})]
