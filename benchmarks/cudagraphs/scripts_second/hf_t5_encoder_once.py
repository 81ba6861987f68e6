import torch
from transformers import T5Config, T5ForConditionalGeneration

config = T5Config(d_model=64, d_kv=32, d_ff=128, num_layers=2, num_heads=2, vocab_size=200, decoder_start_token_id=0)
model = T5ForConditionalGeneration(config).cuda().eval()
encoder = torch.compile(model.encoder, mode="reduce-overhead")
decoder = torch.compile(model.decoder, mode="reduce-overhead")
with torch.no_grad():
    for _ in range(4):
        ids = torch.randint(1, 200, (2, 16), device="cuda")
        memory = encoder(input_ids=ids).last_hidden_state
        tokens = torch.zeros(2, 8, dtype=torch.long, device="cuda")
        for i in range(3):
            hidden = decoder(input_ids=tokens, encoder_hidden_states=memory, use_cache=False).last_hidden_state
            tokens[:, i + 1] = model.lm_head(hidden[:, i]).argmax(-1)
