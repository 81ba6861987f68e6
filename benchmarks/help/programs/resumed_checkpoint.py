# a checkpoint of a compiled model is loaded into a plain one
# thread: mlfoundations/open_clip#639: save the state of the original model, its keys have no prefix
# help: _orig_mod; state_dict
import io

import torch
from torch import nn

model = torch.compile(nn.Linear(2, 2), backend="eager")
model(torch.ones(1, 2))
file = io.BytesIO()
torch.save(model.state_dict(), file)
file.seek(0)
fresh = nn.Linear(2, 2)
fresh.load_state_dict(torch.load(file))  #! error
