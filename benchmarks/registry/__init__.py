"""Every graph-break id of torch: who can reach it, which programs show it, and whether the lint finds them."""
