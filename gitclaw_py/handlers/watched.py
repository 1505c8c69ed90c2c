"""What a handler of proposals works with."""

from gitclaw_py.core.secrets import Watch
from gitclaw_py.handlers.context import Context


class Watched(Context):
    """A context where new texts come in: ``watch`` looks for secrets in them."""

    __slots__ = ("watch",)

    def __init__(self, context: Context, watch: Watch) -> None:
        super().__init__(
            context.repository, context.checkout, context.store, context.clock, context.actor, context.note
        )
        self.watch = watch
