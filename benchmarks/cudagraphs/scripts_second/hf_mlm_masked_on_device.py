import torch
from transformers import BertConfig, BertForMaskedLM

config = BertConfig(hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128, vocab_size=200)
model = BertForMaskedLM(config).cuda().train()
compiled = torch.compile(model, mode="reduce-overhead")
optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
running = torch.zeros((), device="cuda")
for _ in range(6):
    ids = torch.randint(5, 200, (4, 32), device="cuda")
    chosen = torch.rand(4, 32, device="cuda") < 0.15
    labels = ids.masked_fill(~chosen, -100)
    loss = compiled(input_ids=ids.masked_fill(chosen, 4), labels=labels).loss
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    running.add_(loss.detach())
print(running.item() / 6)
