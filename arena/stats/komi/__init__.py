"""The komi laboratory: which komi, the points given to White, is fair for these engines."""
