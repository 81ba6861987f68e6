"""How a run came to one line, in words: `ways` to it, `outcomes` of its findings, and why it is silent."""
