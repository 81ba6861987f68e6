# clips of audio are cut to a window, and a batch of one keeps the stride of what it was cut from
import torch
from torch import nn
from torch.nn import functional as F

SR = 100
WINDOW = 120


def load(seconds):
    wav = torch.randn(1, 1, int(SR * seconds))
    if wav.shape[-1] < WINDOW:
        wav = F.pad(wav, (0, WINDOW - wav.shape[-1]))
    return wav[..., :WINDOW].contiguous()  #! recompile input


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv1d(1, 4, 5), nn.ReLU(), nn.AdaptiveAvgPool1d(1))

    def forward(self, wav):
        return self.net(wav).flatten(1)


@torch.no_grad()
def embed_all(encoder, durations):
    out = []
    for d in durations:
        wav = load(d)  #! recompile input
        out.append(encoder(wav))  #! recompile input
    return torch.cat(out)


encoder = torch.compile(Encoder().eval(), backend="eager")
emb = embed_all(encoder, [0.5, 1.25, 0.8])
print(emb.shape)
