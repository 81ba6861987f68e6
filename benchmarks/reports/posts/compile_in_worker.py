# the job compiles in the worker and carries no compiled function; pair_of=pickled_config_with_model
import pickle

import torch


def double(x):
    return x * 2


class Job:
    def __init__(self, scale):
        self.scale = scale

    def run(self, x):
        fn = torch.compile(double, backend="eager")
        return fn(x) * self.scale


pickle.loads(pickle.dumps(Job(3))).run(torch.randn(2))
