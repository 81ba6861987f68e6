import torch
from transformers import GPT2Config, GPT2LMHeadModel

config = GPT2Config(n_embd=64, n_layer=2, n_head=2, vocab_size=200, n_positions=64, use_cache=False)
model = torch.compile(GPT2LMHeadModel(config).cuda().eval(), mode="reduce-overhead")
window = torch.randint(0, 200, (1, 32), device="cuda")
produced = []
with torch.no_grad():
    for _ in range(8):
        logits = model(input_ids=window).logits[:, -1]
        token = torch.multinomial((logits / 0.8).softmax(-1), 1)
        produced.append(token)
        window = torch.cat([window[:, 1:], token], 1)
print(torch.cat(produced, 1).tolist())
