import torch
from transformers import ViTConfig, ViTForImageClassification

config = ViTConfig(
    hidden_size=64, num_hidden_layers=2, num_attention_heads=2, intermediate_size=128, image_size=32, patch_size=8,
    num_labels=10,
)
model = ViTForImageClassification(config).cuda().train()
compiled = torch.compile(model, mode="reduce-overhead")
optimizer = torch.optim.AdamW(model.parameters(), 1e-4)
for _ in range(6):
    images, labels = torch.randn(8, 3, 32, 32, device="cuda"), torch.randint(0, 10, (8,), device="cuda")
    logits = compiled(pixel_values=images).logits
    loss = torch.nn.functional.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
