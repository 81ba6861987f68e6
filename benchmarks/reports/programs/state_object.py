# a state object that the loop advances is an argument
import torch


class State:
    def __init__(self):
        self.i = 0
        self.x = torch.zeros(4)


@torch.compile(backend="eager")
def step(state):
    return state.x + state.i


state = State()
for _ in range(4):
    state.x = step(state)  #! recompile state, recompile input
    state.i += 1  #! recompile state, recompile input
