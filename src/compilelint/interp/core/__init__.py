"""One activation: state, frame, summaries, outcomes, the engine's protocol."""
