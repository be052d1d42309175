"""Environments for trainers: `import bunraku.environments`, then `gymnasium.make("Bunraku/Stand-v0")` or `make_vec`.

See docs/environments.md.
"""

# pyright: reportUnknownMemberType=false

from bunraku.errors import MissingExtra

try:
    import gymnasium as _gymnasium
except ImportError:
    raise MissingExtra('environments need Gymnasium: pip install "bunraku[gym]".') from None

TASKS = {"Bunraku/Stand-v0": "bunraku.environments.stand:Stand"}

for _name in TASKS:
    if _name not in _gymnasium.registry:
        _gymnasium.register(
            _name,
            entry_point="bunraku.environments.one:TaskEnv",
            vector_entry_point="bunraku.environments.many:TaskVectorEnv",
            kwargs={"task": _name},
        )

__all__ = ["TASKS"]
