"""How findings are laid out, whatever the format: frames, texts, paths, summaries, strips of graphs."""
