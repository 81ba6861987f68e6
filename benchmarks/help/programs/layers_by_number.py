# each layer is compiled alone and knows its number
# thread: huggingface/transformers#36484: the number of the layer is a guard: each layer compiles again
# help: allow_unspec_int_on_nn_module | argument | whole | tensor | pass | attribute
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.number = number
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return self.linear(x) / (self.number + 1)  #! recompile instance


torch.manual_seed(0)
layers = nn.ModuleList(Layer(number) for number in range(4))
for layer in layers:
    layer.compile(backend="eager")
x = torch.ones(2, 4)
for layer in layers:
    x = layer(x)  #! recompile instance
print(x.shape)
