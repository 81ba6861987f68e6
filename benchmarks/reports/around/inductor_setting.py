# a setting of Inductor that no version has
import torch
import torch._inductor.config as inductor_config

inductor_config.coordinate_descent = True  #! error
f = torch.compile(lambda x: x * 2, backend="eager")
f(torch.ones(2))
