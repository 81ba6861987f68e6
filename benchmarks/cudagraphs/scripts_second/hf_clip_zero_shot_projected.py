import torch
from transformers import CLIPConfig, CLIPModel

config = CLIPConfig(
    text_config={"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
                 "vocab_size": 100, "max_position_embeddings": 16, "bos_token_id": 0, "eos_token_id": 2},
    vision_config={"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2,
                   "image_size": 32, "patch_size": 8},
    projection_dim=32,
)
model = CLIPModel(config).cuda().eval()
vision = torch.compile(model.vision_model, mode="reduce-overhead")
with torch.no_grad():
    names = torch.randint(3, 100, (5, 8), device="cuda")
    names[:, -1] = 2
    classes = model.text_projection(model.text_model(input_ids=names).pooler_output)
    for _ in range(5):
        image = vision(pixel_values=torch.randn(2, 3, 32, 32, device="cuda")).pooler_output
        print((model.visual_projection(image) @ classes.t()).argmax(-1).tolist())
