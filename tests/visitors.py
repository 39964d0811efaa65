"""A visitor without a browser: speaks to a served app as Streamlit's page does, so that fifty of
them cost next to nothing beside the server that they visit.

    with serving() as address:
        visitor = Visitor(address)
        visitor.open("compare", data="ma2019-twin")
        seconds = visitor.set("url.m1.epsilon", "2").seconds

What a browser does with the answers, drawing, is left out; all else is as it does it: the link of
each answer is sent with the next move, and large elements that are held already are not sent again.
"""

from __future__ import annotations

import time
import urllib.request
import uuid
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from google.protobuf.message import Message
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import FileURLs, UploadedFileInfo
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

_RUNS_HELD = 2  # that a browser holds large elements for
_VALUES = {  # what a widget's value is called on the way; those of presses are not held
    "button": "trigger_value", "checkbox": "bool_value", "number_input": "double_value",
    "selectbox": "string_value", "text_input": "string_value", "text_area": "string_value",
    "radio": "string_value", "popover": "bool_value", "expandable": "bool_value",
    "button_group": "string_array_value", "multiselect": "string_array_value",
    "file_uploader": "file_uploader_state_value",
}


@dataclass
class Run:
    """What came back for one move: `seconds` until the page was finished, all messages, and those
    elements that make the page, by their place."""

    seconds: float = 0.0
    size: int = 0  # bytes received
    messages: list[ForwardMsg] = field(default_factory=list)
    elements: dict[tuple[int, ...], Message] = field(default_factory=dict)

    def of(self, kind: str) -> list[Any]:
        """All elements of a kind, as Streamlit calls it: `slider`, `html`, `exception` …"""
        return [found for found in map(_inner, self.elements.values()) if _kind(found) == kind]

    @property
    def headline(self) -> str:
        """The answer's first sentence, with its marks."""
        return next((one.body for one in self.of("html") if 'class="answer' in one.body), "")

    @property
    def exceptions(self) -> list[str]:
        """What Streamlit shows where a page has ended in an exception."""
        return [f"{one.type}: {one.message}" for one in self.of("exception")]

    @property
    def errors(self) -> list[str]:
        """What the page itself says went wrong; a promise that fails has another sign."""
        return [one.body for one in self.of("alert")
                if one.format == one.ERROR and one.icon == ":material/error:"]


class Visitor:
    """One visit. `patience` is for how long an answer is waited for, in seconds."""

    def __init__(self, base_url: str, patience: float = 120) -> None:
        self.base_url, self.patience = base_url.rstrip("/"), patience
        self.link: dict[str, str] = {}
        self.page = Run()
        self.session_id = ""
        self._page_hash = ""
        self._addresses: dict[str, str] = {}
        self._states: dict[str, WidgetState] = {}
        self._held: dict[str, tuple[int, ForwardMsg]] = {}  # large elements and the run they are of
        self._runs = 0
        self._connection = ExitStack()
        self._socket = self._connection.enter_context(connect(
            f"ws{self.base_url.removeprefix('http')}/_stcore/stream", max_size=None,
            origin=Origin(self.base_url), subprotocols=[Subprotocol("streamlit")],
            open_timeout=patience,
        ))

    def __enter__(self) -> Visitor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def open(self, question: str = "", **link: str) -> Run:
        """The page of a question, by its address, as by its link or (later in a visit, without one)
        from the menu."""
        self.link = dict(link)
        self._states.clear()
        known = self._addresses.get(question, "")
        self._page_hash = known
        return self._run(page_name="" if known else question)

    def set(self, key: str, value: Any) -> Run:
        """Move a widget, by the key that the app has given it: a number for a slider, the text that
        is shown for a slider of steps or a menu, True for a button, a list for several."""
        found = self.widget(key)
        state = WidgetState(id=found.id)
        kind = value_type(found)
        if kind.endswith("array_value"):
            values = value if isinstance(value, (list, tuple)) else [value]
            getattr(state, kind).data.extend(values)
        else:
            setattr(state, kind, value)
        return self._moved(state)

    def press(self, key: str) -> Run:
        return self.set(key, True)

    def upload(self, key: str, name: str, content: bytes) -> Run:
        """Give a file to a place that takes one."""
        where = self._place_for(name)
        self._put(where.upload_url, name, content)
        state = WidgetState(id=self.widget(key).id)
        state.file_uploader_state_value.uploaded_file_info.append(
            UploadedFileInfo(file_id=where.file_id, name=name, size=len(content), file_urls=where))
        return self._moved(state)

    def close(self) -> None:
        self._connection.close()

    @property
    def widgets(self) -> dict[str, Any]:
        """The widgets on the page by their keys: what Streamlit sent of each."""
        sent = map(_inner, self.page.elements.values())
        return {_key(one.id): one for one in sent if _key(getattr(one, "id", ""))}

    def widget(self, key: str) -> Any:
        found = self.widgets
        assert key in found, f"no widget {key} on this page, but {sorted(found)}"
        return found[key]

    def values(self, key: str) -> list[Any]:
        """All values that a slider or a menu can be set to."""
        found = self.widget(key)
        if not isinstance(found, Slider):
            return [getattr(one, "content", one) for one in found.options]
        if found.type == Slider.SELECT_SLIDER:
            return list(found.options)
        steps = round((found.max - found.min) / found.step)
        return [found.min + i * found.step for i in range(steps + 1)]

    def sliders(self) -> list[str]:
        return [key for key, found in self.widgets.items() if isinstance(found, Slider)]

    def _moved(self, state: WidgetState) -> Run:
        self._states[state.id] = state
        run = self._run()
        if state.WhichOneof("value") == "trigger_value":
            self._states.pop(state.id, None)
        return run

    def _run(self, page_name: str = "") -> Run:
        asked = ClientState(
            query_string=urlencode(self.link), page_script_hash=self._page_hash,
            page_name=page_name, cached_message_hashes=list(self._held),
        )
        asked.widget_states.widgets.extend(self._states.values())
        asked.context_info.url = f"{self.base_url}/{page_name}"
        asked.context_info.color_scheme = "light"
        start = time.perf_counter()
        self._socket.send(BackMsg(rerun_script=asked).SerializeToString())
        run = Run()
        while not self._finished(message := self._receive(run), run):
            run.messages.append(message)
        run.messages.append(message)
        run.seconds = time.perf_counter() - start
        self._settle(run)
        return run

    def _receive(self, run: Run | None = None) -> ForwardMsg:
        data = self._socket.recv(timeout=self.patience)
        assert isinstance(data, bytes)
        if run is not None:
            run.size += len(data)
        return ForwardMsg.FromString(data)

    def _finished(self, message: ForwardMsg, run: Run) -> bool:
        """Take a message in; was it the last? A page that starts itself anew is not finished."""
        kind = message.WhichOneof("type")
        if kind == "new_session":
            run.elements.clear()
            self.session_id = message.new_session.initialize.session_id
            self._page_hash = message.new_session.page_script_hash
            self._addresses |= _addresses(message.new_session.app_pages)
        elif kind == "navigation":
            self._page_hash = message.navigation.page_script_hash
            self._addresses |= _addresses(message.navigation.app_pages)
        elif kind == "page_info_changed":
            self.link = dict(parse_qsl(message.page_info_changed.query_string, True))
        elif kind == "ref_hash":
            self._held[message.ref_hash] = (self._runs, self._held[message.ref_hash][1])
            self._place(message, self._held[message.ref_hash][1], run)
        elif kind == "delta":
            if message.metadata.cacheable:
                self._held[message.hash] = (self._runs, message)
            self._place(message, message, run)
        return kind == "script_finished" and (
            message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN)

    def _place(self, where: ForwardMsg, what: ForwardMsg, run: Run) -> None:
        element = getattr(what.delta, what.delta.WhichOneof("type") or "")
        run.elements[tuple(where.metadata.delta_path)] = element

    def _settle(self, run: Run) -> None:
        """What a browser does at the end of a run: widgets that are gone are forgotten, those that
        the app has set are as the app says, and elements not seen for a while are let go."""
        self.page = run
        self._runs += 1
        kept = {one.id: one for one in self.widgets.values()}
        self._states = {
            id: state for id, state in self._states.items()
            if id in kept and not getattr(kept[id], "set_value", False)
        }
        self._held = {
            hash: held for hash, held in self._held.items() if held[0] > self._runs - _RUNS_HELD
        }

    def _place_for(self, name: str) -> FileURLs:
        asked = BackMsg()
        asked.file_urls_request.request_id = str(uuid.uuid4())
        asked.file_urls_request.session_id = self.session_id
        asked.file_urls_request.file_names.append(name)
        self._socket.send(asked.SerializeToString())
        while (message := self._receive()).WhichOneof("type") != "file_urls_response":
            pass
        return message.file_urls_response.file_urls[0]

    def _put(self, path: str, name: str, content: bytes) -> None:
        with urllib.request.urlopen(f"{self.base_url}/_stcore/health", timeout=self.patience) as ok:
            cookies = SimpleCookie(ok.headers.get("Set-Cookie", ""))
        headers: Mapping[str, str] = {}
        if "_streamlit_xsrf" in cookies:
            token = cookies["_streamlit_xsrf"].value
            headers = {"Cookie": f"_streamlit_xsrf={token}", "X-Xsrftoken": token}
        mark = uuid.uuid4().hex
        body = (
            f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        ).encode() + content + f"\r\n--{mark}--\r\n".encode()
        request = urllib.request.Request(
            f"{self.base_url}/{urlsplit(path).path.lstrip('/')}", body, method="PUT",
            headers={**headers, "Content-Type": f"multipart/form-data; boundary={mark}"},
        )
        urllib.request.urlopen(request, timeout=self.patience).close()


def value_type(widget: Message) -> str:
    """What a widget's value is called in the message that sets it."""
    if isinstance(widget, Slider):
        steps = widget.type == Slider.SELECT_SLIDER
        return "string_array_value" if steps else "double_array_value"
    return _VALUES[_kind(widget)]


def _inner(element: Message) -> Message:
    """The slider in an element, or the popover in a block."""
    kind = element.WhichOneof("type")
    return getattr(element, kind) if kind else element


_KINDS = {"ButtonGroup": "button_group", "MultiSelect": "multiselect", "TextArea": "text_area",
          "FileUploader": "file_uploader", "NumberInput": "number_input",
          "TextInput": "text_input", "PlotlyChart": "plotly_chart"}


def _kind(element: Message) -> str:
    name = element.DESCRIPTOR.name
    return _KINDS.get(name, name.lower())


def _key(id: str) -> str:
    """The key that the app gave a widget, from the id that Streamlit made of it."""
    parts = id.split("-", 2)
    return parts[2] if id.startswith("$$ID-") and len(parts) == 3 and parts[2] != "None" else ""


def _addresses(pages: Any) -> dict[str, str]:
    return {page.url_pathname: page.page_script_hash for page in pages}
