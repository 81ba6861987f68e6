# a compiled policy prepares its words before the model runs
# thread: TensorAuto/OpenTau#428: compile the inner model in place, not the policy around it
# help: inner | outside | before | part; compile | outside
import torch
from torch import nn

WORDS = {0: "stop", 1: "left", 2: "right"}


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.model = nn.Linear(4, 4)

    def forward(self, x, actions):
        words = " ".join(WORDS[number] for number in actions.cpu().tolist())  #! break
        return self.model(x) * len(words)


torch.manual_seed(0)
policy = torch.compile(Policy(), backend="eager")
print(policy(torch.ones(2, 4), torch.tensor([1, 2])).shape)
