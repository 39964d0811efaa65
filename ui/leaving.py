"""Who has left leaves nothing behind. Streamlit holds on to a visit for two minutes, in case its
browser comes back; what then has no owner is in circles, and stays until somebody looks for it."""

from __future__ import annotations

import gc

from streamlit.runtime import Runtime, exists, get_instance

EVERY = 30.0  # seconds between looks at who is there


def let_go() -> None:
    """Look for what nobody holds on to, everywhere: also in what was there when it was last said to
    be no garbage, such as the first visit, which was there before the program was loaded. After
    that, what there is need not be looked through by every collection until the next who leaves."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def watch() -> None:
    """From now on, as long as the app runs."""
    runtime = get_instance() if exists() else None
    if isinstance(runtime, Runtime):  # else somebody plays at being one
        loop = runtime._get_async_objs().eventloop
        loop.call_soon_threadsafe(_look, runtime, set[str]())


def _look(runtime: Runtime, before: set[str]) -> None:
    """Has anybody left? Asking makes Streamlit forget visits whose time is up."""
    now = {one.session.id for one in runtime._session_mgr.list_sessions()}
    if before - now:
        let_go()
    runtime._get_async_objs().eventloop.call_later(EVERY, _look, runtime, now)
