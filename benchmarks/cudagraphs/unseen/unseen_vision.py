"""Detection heads, box arithmetic and image augmentations."""

import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_shifted_anchors():
    def base(scale=8.0, ratios=(0.5, 1.0, 2.0)):
        r = torch.tensor(ratios)
        ws, hs = scale * r.rsqrt(), scale * r.sqrt()
        return torch.stack([-ws, -hs, ws, hs], 1) / 2

    cell = base()

    def anchors(feat, stride=4):
        h, w = feat.shape[-2:]
        ys, xs = torch.meshgrid(torch.arange(h) * stride, torch.arange(w) * stride, indexing="ij")
        shifts = torch.stack([xs, ys, xs, ys], -1).reshape(-1, 1, 4)
        return (shifts + cell).reshape(-1, 4).to(feat.device) + feat.mean()

    return anchors, [((torch.randn(1, 8, 4, 4),), {})]


def box_iou(a, b):
    lt = torch.maximum(a[:, None, :2], b[None, :, :2])
    rb = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (rb - lt).clamp(min=0).prod(-1)
    area = [(t[:, 2:] - t[:, :2]).prod(-1) for t in (a, b)]
    return inter / (area[0][:, None] + area[1][None] - inter)


def greedy_nms(boxes, scores, thr=0.5):
    order = scores.argsort(descending=True)
    keep = []
    while order.numel() > 0:
        i, rest = order[0], order[1:]
        keep.append(i)
        order = rest[box_iou(boxes[i][None], boxes[rest])[0] <= thr]
    return torch.stack(keep)


def make_greedy_nms():
    xy = torch.rand(8, 2)
    return greedy_nms, [((torch.cat([xy, xy + 0.5], 1), torch.rand(8)), {})]


class MatrixNMS(nn.Module):
    def __init__(self, sigma=2.0, top=6):
        super().__init__()
        self.sigma, self.top = sigma, top

    @staticmethod
    def pairwise(b):
        lt, rb = torch.max(b[:, None, :2], b[:, :2]), torch.min(b[:, None, 2:], b[:, 2:])
        inter = (rb - lt).clamp(min=0).prod(2)
        area = (b[:, 2:] - b[:, :2]).prod(1)
        return inter / (area[:, None] + area - inter)

    def forward(self, boxes, scores):
        s, idx = scores.topk(self.top)
        iou = self.pairwise(boxes[idx]).triu(1)
        decay = torch.exp(-self.sigma * (iou**2 - iou.amax(0)[:, None] ** 2)).amin(0)
        return boxes[idx], s * decay


def make_matrix_nms():
    xy = torch.rand(8, 2)
    return MatrixNMS(), [((torch.cat([xy, xy + 0.5], 1), torch.rand(8)), {})]


class BoxCoder:
    def __init__(self, weights=(10.0, 10.0, 5.0, 5.0), clip=math.log(1000.0 / 16), device="cuda"):
        self.weights, self.clip = torch.tensor(weights, device=device), clip

    def decode(self, deltas, anchors):
        wh = anchors[:, 2:] - anchors[:, :2]
        move, grow = (deltas / self.weights).split(2, dim=1)
        size = grow.clamp(max=self.clip).exp() * wh
        center = move * wh + anchors[:, :2] + 0.5 * wh
        return torch.cat([center - size / 2, center + size / 2], dim=1)


def make_box_coder():
    return BoxCoder().decode, [((torch.randn(6, 4), torch.tensor([[0.0, 0.0, 8.0, 8.0]] * 6)), {})]


class Postprocess(nn.Module):
    def __init__(self, conf=0.3):
        super().__init__()
        self.conf = conf

    def forward(self, logits, boxes):
        results = []
        for prob, box in zip(logits.softmax(-1), boxes):
            score, label = prob.max(-1)
            keep = score > self.conf
            results.append({"scores": score[keep], "labels": label[keep], "boxes": box[keep]})
        return results


def make_postprocess_threshold():
    return Postprocess(), [((torch.randn(2, 10, 5), torch.rand(2, 10, 4)), {})]


class DetrPostprocess(nn.Module):
    def __init__(self, k=5):
        super().__init__()
        self.k = k

    def forward(self, outputs, sizes):
        prob = outputs["logits"].sigmoid()
        scores, flat = prob.flatten(1).topk(self.k, dim=1)
        query, labels = flat // prob.shape[2], flat % prob.shape[2]
        c, wh = outputs["boxes"].split(2, -1)
        xyxy = torch.cat([c - wh / 2, c + wh / 2], -1)
        picked = xyxy.gather(1, query.unsqueeze(-1).expand(-1, -1, 4))
        return {"scores": scores, "labels": labels, "boxes": picked * sizes.repeat(1, 2)[:, None]}


def make_detr_topk():
    out = {"logits": torch.randn(2, 10, 5), "boxes": torch.rand(2, 10, 4)}
    return DetrPostprocess(), [((out, torch.tensor([[64.0, 48.0], [32.0, 32.0]])), {})]


MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def normalize(img, mean=MEAN, std=STD):
    mean = torch.as_tensor(mean, dtype=img.dtype, device=img.device)
    std = torch.as_tensor(std, dtype=img.dtype, device=img.device)
    if std.ndim == 1:
        mean, std = mean.view(-1, 1, 1), std.view(-1, 1, 1)
    return (img - mean) / std


def make_normalize_tuples():
    return normalize, [((torch.rand(2, 3, 8, 8),), {})]


class Preprocess(nn.Module):
    def __init__(self):
        super().__init__()
        self.pixel_mean = torch.tensor([123.7, 116.3, 103.5]).view(3, 1, 1)
        self.register_buffer("pixel_std", torch.tensor([58.4, 57.1, 57.4]).view(3, 1, 1))
        self.stem = nn.Conv2d(3, 8, 3, stride=2)

    def forward(self, batch):
        x = (batch["image"].float() - self.pixel_mean.to(batch["image"].device)) / self.pixel_std
        return self.stem(F.pad(x, (0, 1, 0, 1)))


def make_preprocess_pixel_mean():
    return Preprocess(), [(({"image": torch.randint(0, 256, (1, 3, 9, 9), dtype=torch.uint8)},), {})]


class RandomFlip(nn.Module):
    def __init__(self, p=0.5):
        super().__init__()
        self.p = p

    def forward(self, x):
        angle = random.uniform(-0.1, 0.1)
        if random.random() < self.p:
            x = x.flip(-1)
        return x * math.cos(angle) + x.flip(-2) * math.sin(angle)


def make_flip_host_random():
    return RandomFlip(), [((torch.rand(2, 3, 8, 8),), {}), ((torch.rand(2, 3, 8, 8),), {})]


class BatchAffine(nn.Module):
    def __init__(self, p=0.5, max_angle=0.1):
        super().__init__()
        self.p, self.max_angle = p, max_angle

    def forward(self, x):
        n = x.shape[0]
        flip = torch.where(torch.rand(n, device=x.device) < self.p, -1.0, 1.0)
        a = (torch.rand(n, device=x.device) * 2 - 1) * self.max_angle
        zero = torch.zeros_like(a)
        theta = torch.stack([flip * a.cos(), -a.sin(), zero, a.sin(), a.cos(), zero], 1).view(n, 2, 3)
        return F.grid_sample(x, F.affine_grid(theta, x.shape, align_corners=False), align_corners=False)


def make_batch_affine():
    return BatchAffine(), [((torch.rand(2, 3, 8, 8),), {}), ((torch.rand(2, 3, 8, 8),), {})]


def random_crop(img, size=(6, 6)):
    h, w = img.shape[-2:]
    top = torch.randint(0, h - size[0] + 1, (1,)).item()
    left = torch.randint(0, w - size[1] + 1, (1,)).item()
    return img[..., top : top + size[0], left : left + size[1]] * 1.0


def make_crop_item():
    return random_crop, [((torch.rand(2, 3, 10, 10),), {}), ((torch.rand(2, 3, 10, 10),), {})]


def make_crop_gather():
    def shift_pad(x, pad=2):
        n, c, h, w = x.shape
        x = F.pad(x, [pad] * 4, mode="replicate")
        off = torch.randint(0, 2 * pad + 1, (2, n, 1), device=x.device)
        rows = (off[0] + torch.arange(h, device=x.device)).view(n, 1, h, 1).expand(n, c, h, w + 2 * pad)
        cols = (off[1] + torch.arange(w, device=x.device)).view(n, 1, 1, w).expand(n, c, h, w)
        return x.gather(2, rows).gather(3, cols)

    return shift_pad, [((torch.rand(2, 3, 10, 10),), {})]


def cutmix(images, labels, alpha=1.0):
    lam = np.random.beta(alpha, alpha)
    perm = torch.randperm(images.shape[0])
    cut = int(images.shape[-1] * (1 - lam) ** 0.5)
    out = images.clone()
    out[..., :cut, :cut] = images[perm][..., :cut, :cut]
    return out, lam * labels + (1 - lam) * labels[perm]


def make_cutmix_numpy():
    return cutmix, [((torch.rand(4, 3, 8, 8), torch.eye(4)), {})]


class Mixup(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.classes = classes

    def forward(self, images, labels):
        lam = torch.rand(images.shape[0], device=images.device)
        lam = torch.maximum(lam, 1 - lam)
        target = F.one_hot(labels, self.classes).to(images.dtype)
        mixed = torch.lerp(images.roll(1, 0), images, lam.view(-1, 1, 1, 1))
        return mixed, torch.lerp(target.roll(1, 0), target, lam[:, None])


def make_mixup_device_rand():
    return Mixup(), [((torch.rand(4, 3, 8, 8), torch.arange(4)), {})]


def jitter_(img, brightness=0.2, contrast=0.8):
    img[:, 0].add_(brightness)
    img[:, 1:].mul_(contrast)
    img.clamp_(0, 1)
    return img.mean((2, 3))


def make_jitter_in_place():
    return jitter_, [((torch.rand(2, 3, 8, 8),), {})]


class YoloHead(nn.Module):
    def __init__(self, nc=3, anchors=((10, 13), (16, 30))):
        super().__init__()
        self.no, self.na = nc + 5, len(anchors)
        self.grid = [torch.empty(0)]
        self.register_buffer("anchors", torch.tensor(anchors).float().view(1, -1, 1, 1, 2))
        self.conv = nn.Conv2d(8, self.no * self.na, 1)

    def _make_grid(self, nx, ny, device):
        y, x = torch.meshgrid(torch.arange(ny, device=device), torch.arange(nx, device=device), indexing="ij")
        return torch.stack((x, y), 2).expand(1, self.na, ny, nx, 2) - 0.5

    def forward(self, x):
        bs, _, ny, nx = x.shape
        y = self.conv(x).view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).sigmoid()
        if self.grid[0].shape[2:4] != y.shape[2:4]:
            self.grid[0] = self._make_grid(nx, ny, x.device)
        xy, wh, conf = y.split((2, 2, self.no - 4), 4)
        return torch.cat(((xy * 2 + self.grid[0]) * 8, (wh * 2) ** 2 * self.anchors, conf), 4)


def make_yolo_grid_list():
    return YoloHead(), [((torch.randn(1, 8, 4, 4),), {}), ((torch.randn(1, 8, 4, 4),), {})]


class CenterNetDecode(nn.Module):
    def __init__(self, k=4):
        super().__init__()
        self.k = k
        self.pool = nn.MaxPool2d(3, stride=1, padding=1)

    def forward(self, heat, size):
        heat = heat.sigmoid()
        heat = heat * (self.pool(heat) == heat)
        b, c, h, w = heat.shape
        score, idx = heat.view(b, -1).topk(self.k)
        cls, rest = idx // (h * w), idx % (h * w)
        wh = size.flatten(2).gather(2, rest[:, None].expand(b, 2, self.k)).mT
        ctr = torch.stack([rest % w, rest // w], -1).float()
        return torch.cat([ctr - wh / 2, ctr + wh / 2], -1), score, cls


def make_centernet_peaks():
    return CenterNetDecode(), [((torch.randn(2, 3, 8, 8), torch.rand(2, 2, 8, 8)), {})]


def heatmap_points(heat, min_score=0.6):
    peak = (F.max_pool2d(heat, 3, 1, 1) == heat) & (heat > min_score)
    b, c, y, x = torch.nonzero(peak, as_tuple=True)
    return torch.stack([x, y], 1).float() + 0.5, heat[b, c, y, x]


def make_heatmap_nonzero():
    return heatmap_points, [((torch.rand(1, 2, 8, 8),), {})]
