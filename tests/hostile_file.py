"""A file whose every name and value would load something, lead somewhere or look like something
else if it were taken for Markdown, HTML or a sign of Streamlit's."""

from __future__ import annotations

import csv
import io
import random

ELSEWHERE = "elsewhere.invalid"
NAME = f"mi**ne** ![n](http:--{ELSEWHERE}-n.png).csv"
HEADER = (
    f"![a](http://{ELSEWHERE}/a.png)", f"[b](http://{ELSEWHERE}/b)", f"http://{ELSEWHERE}/c",
    f":red[d] **e** <img src=http://{ELSEWHERE}/d.png>", f"www.{ELSEWHERE}", "age :material/home:",
)
_VALUES = (
    (f"![v](http://{ELSEWHERE}/v.png)", "**north**", f"http://{ELSEWHERE}/w"),
    (f"<img src=http://{ELSEWHERE}/x.png>", f"<a href=http://{ELSEWHERE}/y>y</a>", "$x$"),
    ("1", "2"), (f"me@{ELSEWHERE}", "`p`"), ("m", "f"),
)


def hostile_file(rows: int = 300) -> bytes:
    draw, out = random.Random(1), io.StringIO()
    writer = csv.writer(out)
    writer.writerow(HEADER)
    for _ in range(rows):
        writer.writerow([*map(draw.choice, _VALUES), draw.randint(18, 90)])
    return out.getvalue().encode()
