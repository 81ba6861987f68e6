"""Which small programs and models CUDA graphs record, and what compilelint says of them."""
