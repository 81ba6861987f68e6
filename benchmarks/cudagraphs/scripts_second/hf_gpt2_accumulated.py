import torch
from transformers import GPT2Config, GPT2LMHeadModel

config = GPT2Config(n_embd=64, n_layer=2, n_head=2, vocab_size=200, n_positions=64, use_cache=False)
model = GPT2LMHeadModel(config).cuda().train()
compiled = torch.compile(model, mode="reduce-overhead")
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
optimizer.zero_grad()
for step in range(12):
    ids = torch.randint(0, 200, (2, 32), device="cuda")
    loss = compiled(input_ids=ids, labels=ids).loss / 4
    loss.backward()
    if (step + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
