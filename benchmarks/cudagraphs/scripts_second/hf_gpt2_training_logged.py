import torch
from transformers import GPT2Config, GPT2LMHeadModel, get_linear_schedule_with_warmup

config = GPT2Config(n_embd=64, n_layer=2, n_head=2, vocab_size=200, n_positions=64, use_cache=False)
model = GPT2LMHeadModel(config).cuda().train()
compiled = torch.compile(model, mode="reduce-overhead")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
schedule = get_linear_schedule_with_warmup(optimizer, 2, 8)
total = 0.0
for step in range(8):
    ids = torch.randint(0, 200, (2, 32), device="cuda")
    out = compiled(input_ids=ids, labels=ids)
    out.loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    optimizer.zero_grad(set_to_none=True)
    total += out.loss.item()
print(total / 8)
