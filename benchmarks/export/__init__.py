"""What `torch.export` refuses, program by program, and what is found of it without running anything."""
