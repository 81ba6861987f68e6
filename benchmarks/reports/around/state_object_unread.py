# a plain object that a loop counts on, whose count is not read; pair_of=state_object_given
import torch


class State:
    def __init__(self):
        self.it = 0
        self.x = torch.zeros(3)


@torch.compile(backend="eager")
def advance(state):
    return state.x + 1


state = State()
for _ in range(4):
    state.x = advance(state)
    state.it += 1
