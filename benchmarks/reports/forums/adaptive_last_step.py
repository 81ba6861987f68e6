# the last step of a simulation is shorter
import torch


@torch.compile(backend="eager")
def advance(pos, vel, dt):
    vel = vel - pos * dt
    return pos + vel * dt, vel


pos, vel = torch.ones(5), torch.zeros(5)
t, t_end, dt = 0.0, 1.0, 0.3
while t < t_end:
    dt = min(dt, t_end - t)
    pos, vel = advance(pos, vel, dt)  #! recompile input
    t += dt
