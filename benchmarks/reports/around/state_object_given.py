# a plain object that a loop counts on is given to the step
import torch


class State:
    def __init__(self):
        self.it = 0
        self.x = torch.zeros(3)


@torch.compile(backend="eager")
def advance(state):
    return state.x + state.it


state = State()
for _ in range(4):
    state.x = advance(state)  #! recompile state
    state.it += 1  #! recompile state
