# whether it is the first token is read from the positions
# thread: huggingface/transformers#31247: decide by the length of the input, or pass a flag
# help: shape | length | flag | argument | torch.where | torch.cond
import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(4))

    def forward(self, x, cache_position):
        if cache_position[0] > 0:  #! break
            return x[:, -1] + self.state
        return x.sum(1)


mixer = torch.compile(Mixer(), backend="eager")
print(mixer(torch.ones(1, 3, 4), torch.arange(3)), mixer(torch.ones(1, 1, 4), torch.tensor([3])))
