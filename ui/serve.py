"""How is the dashboard started from any folder? `sdc-core app` runs `serve`."""

from __future__ import annotations

from pathlib import Path

from streamlit.web import cli

APP = Path(__file__).resolve().parents[1] / "app.py"


def serve(port: int) -> None:
    """Serve the app until it is stopped, as `streamlit run app.py` does in a checkout. Address,
    look and the rest are in `.streamlit/config.toml` beside app.py, where Streamlit finds them
    from any folder."""
    cli.main(["run", str(APP), "--server.port", str(port)], prog_name="streamlit")
