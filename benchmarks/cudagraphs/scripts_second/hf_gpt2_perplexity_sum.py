import torch
from transformers import GPT2Config, GPT2LMHeadModel

config = GPT2Config(n_embd=64, n_layer=2, n_head=2, vocab_size=200, n_positions=64, use_cache=False)
model = torch.compile(GPT2LMHeadModel(config).cuda().eval(), mode="reduce-overhead")
text = torch.randint(0, 200, (1, 256), device="cuda")
nlls = []
for begin in range(0, 256, 32):
    ids = text[:, begin : begin + 32].contiguous()
    with torch.no_grad():
        outputs = model(input_ids=ids, labels=ids)
        neg_log_likelihood = outputs.loss
    nlls.append(neg_log_likelihood)
print(torch.exp(torch.stack(nlls).mean()).item())
