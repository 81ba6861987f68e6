# the model is compiled again in each epoch
# thread: huggingface/accelerate: compile once, before the loop
# help: before the loop | out of the loop | once | outside
import torch
from torch import nn

model = nn.Linear(4, 1)
for epoch in range(3):

    @torch.compile(backend="eager")
    def step(x):  #! recompile instance
        return model(x).mean() + epoch * 0

    for _ in range(2):
        step(torch.ones(2, 4)).backward()  #! recompile instance
