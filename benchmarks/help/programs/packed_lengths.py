# padded sequences are packed for a GRU
# thread: pytorch/pytorch#162375: keep the recurrent part out of the compiled function, or run it padded and mask
# help: padded | mask | outside | disable
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(4, 4)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, enforce_sorted=False)  #! break
        out, _ = self.rnn(packed)  #! break
        return pad_packed_sequence(out)[0]  #! break


torch.manual_seed(0)
encoder = torch.compile(Encoder(), backend="eager")
with torch.no_grad():
    print(encoder(torch.randn(5, 2, 4), torch.tensor([5, 3])).shape)
