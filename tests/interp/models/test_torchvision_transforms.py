"""torchvision where it is not installed; what ends the graph was run with torchvision 0.28 under torch 2.13."""

from __future__ import annotations

from compilelint.torchfacts import load
from compilelint.torchfacts.torchvision import FUNCTIONS, TRANSFORMS
from tests.support.worker_messages import check


def test_transforms_that_draw_end_the_graph() -> None:
    check("""
        from torchvision import transforms as T
        from torchvision.transforms import v2

        class Net(nn.Module):
            def __init__(self, augment=None):
                super().__init__()
                self.flip = T.RandomHorizontalFlip()
                self.crop = T.RandomResizedCrop(16)
                self.resize = T.Resize(16)
                self.both = T.Compose([T.CenterCrop(8), T.ColorJitter(0.5)])
                self.clean = T.Compose([T.CenterCrop(8), T.Lambda(lambda t: t + 1)])
                self.scale = T.Lambda(lambda t: t.tolist())  # call torch.Tensor.tolist
                self.norm, self.norm2 = T.Normalize([1], [2]), v2.Normalize([1], [2])
                self.inner = nn.Sequential(T.RandomGrayscale(), nn.ReLU())

            def forward(self, x: Tensor):
                a = self.flip(x)  # call torchvision.transforms.RandomHorizontalFlip.forward
                b = self.crop(x)  # call torchvision.transforms.RandomResizedCrop.forward
                c = self.resize(x) + self.clean(x)
                d = self.both(x)  # call torchvision.transforms.ColorJitter.forward
                e = self.norm(x)  # call torchvision.transforms.Normalize.forward
                g = self.inner(x)  # call torchvision.transforms.RandomGrayscale.forward
                if a.sum() > 0:  # branch if
                    pass
                return self.scale(x), self.norm2(x)
    """)


def test_functions_and_operators() -> None:
    check("""
        from torchvision import ops
        import torchvision.transforms.functional as TF

        def f(x: Tensor, scores: Tensor):
            a = ops.nms(x, scores, 0.5)  # call torchvision.ops.nms
            b = ops.box_iou(x, x)
            c = TF.normalize(x, [1.0], [2.0])  # call torchvision.transforms.functional.normalize
            d = TF.resize(x, [4, 4])
    """)


def test_what_is_declared_of_torchvision_is_never_certain() -> None:
    facts = load("2.13")
    for name, like in TRANSFORMS.items():
        fact = facts.layer(name)
        assert fact is not None
        assert (fact.breaks, fact.assumed) == (True, True), (name, like)
    for name, like in FUNCTIONS.items():
        fact = facts.callable(name)
        assert fact is not None
        assert (fact.breaks, fact.assumed) == (True, True), (name, like)
