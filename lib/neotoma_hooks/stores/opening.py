"""From settings to the store in use."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings
    from neotoma_hooks.stores.base import Store


def open_store(settings: Settings, paths: Paths) -> Store:
    """The Neotoma server that the settings name, or the embedded store; nothing is asked of it yet."""
    if settings.base_url:
        from neotoma_hooks.stores.neotoma import NeotomaStore

        return NeotomaStore(settings.base_url, settings.token, settings.write_seconds)
    from neotoma_hooks.stores.embedded import EmbeddedStore

    return EmbeddedStore(paths.embedded_store)
