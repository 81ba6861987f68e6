# the step of a sampler looks its time up in the schedule
# thread: huggingface/diffusers#11696: set the first index once (set_begin_index(0)) and count from there
# help: index | count | position; outside | before | argument | pass | set_begin_index
import torch


class Scheduler:
    def __init__(self):
        self.timesteps = torch.arange(9, -1, -1)
        self.sigmas = torch.linspace(1, 0, 11)

    def step(self, noise, t, x):
        index = (self.timesteps == t).nonzero().item()  #! break
        return x + (self.sigmas[index + 1] - self.sigmas[index]) * noise


step = torch.compile(Scheduler().step, backend="eager")
print(step(torch.ones(2), torch.tensor(7), torch.zeros(2)))
