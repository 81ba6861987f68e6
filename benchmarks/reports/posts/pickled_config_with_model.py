# a run that holds a compiled function is pickled for a worker
import pickle

import torch


class Job:
    def __init__(self, scale):
        self.scale = scale
        self.fn = torch.compile(lambda x: x * 2, backend="eager")

    def run(self, x):
        return self.fn(x) * self.scale


job = Job(3)
job.run(torch.randn(2))
pickle.loads(pickle.dumps(job)).run(torch.randn(2))  #! error
