# a method compiles its own module and assigns it to self
# thread: google-research/timesfm#459: assign the compiled forward to the model (self.forward = torch.compile(self.forward))
# help: self.forward | .compile() | return | forward = ; nothing | local | name | never | lost | not used | no effect | rebinds
import torch
from torch import nn


class Forecaster(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def load_checkpoint(self, state, compiled):
        self.load_state_dict(state)
        if compiled:
            self = torch.compile(self, backend="eager")  #! slow

    def forward(self, x):
        return self.linear(x).relu()


torch.manual_seed(0)
model = Forecaster()
model.load_checkpoint(Forecaster().state_dict(), compiled=True)
print(model(torch.ones(2, 4)).shape)
