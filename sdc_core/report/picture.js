// One picture of one panel, 16:9 and white, from its description (picture.py). The page and the
// command run this same script, in a document of its own (its workshop), so that neither the page's
// theme nor its width shows in a picture, and no number can differ between the two.
//
// Words and HTML drawings are laid out by the browser and then written as SVG, element by element;
// charts are drawn by plotly and put where the layout left room for them.
"use strict";

const WIDE = 1600, HIGH = 900, INK = "#1C2330", GAP = 28, SAID = 30, EDGE = 60;
const LARGEST = 1.9;  // how much larger than on the page a drawing may stand
const FAMILY = '"Source Sans 3", "Source Sans Pro", Arial, Helvetica, sans-serif';
const LOOK = `
  html, body { margin: 0; background: #fff; color-scheme: light; }
  #picture { position: relative; width: ${WIDE}px; height: ${HIGH}px; box-sizing: border-box;
    padding: 44px ${EDGE}px 34px; display: flex; flex-direction: column; background: #fff;
    color: ${INK}; font: 16px/1.5 ${FAMILY}; font-variant-numeric: tabular-nums; }
  #picture > h1 { font-size: 40px; line-height: 1.18; font-weight: 650; margin: 0;
    letter-spacing: -0.01em; text-wrap: balance; }
  #picture > .said { font-size: 22px; line-height: ${SAID}px; margin: 8px 0 0; color: #444B57; }
  #picture > .room { flex: 1 1 0; min-height: 0; margin: 22px 0 18px; display: flex;
    flex-direction: column; gap: 10px; }
  #picture .drawing { flex: 1 1 0; min-height: 0; position: relative; }
  #picture .html { position: absolute; left: 0; top: 0; transform-origin: 0 0; }
  #picture > footer { border-top: 1px solid #C9CDD4; padding-top: 10px; font-size: 15.5px;
    line-height: 1.4; color: #444B57; }
  #picture > footer p { margin: 0; }
  #picture > footer b { color: ${INK}; font-weight: 600; }
  .html p { margin: 0 0 .5rem; } .html h5 { margin: 0; }
  .table table { border-collapse: collapse; font-size: .85rem; line-height: 1.35; }
  .table th, .table td { text-align: left; padding: .16rem 1.1rem .16rem 0; vertical-align: top;
    border-bottom: 1px solid #D9DCE1; } .table th { font-weight: 650; vertical-align: bottom; }
  .table .number { text-align: right; }
  .materialised::before, .materialised::after { content: none !important; }
`;

// One after the other: there is one stage.
let busy = Promise.resolve();
function makePicture(description, kinds) {
  return busy = busy.catch(() => null).then(() => make(description, kinds));
}

async function make(description, kinds) {
  await fontsReady();
  const stage = staged(description);
  document.body.replaceChildren(stage);
  const said = stage.querySelector(".said");
  if (said?.offsetHeight > 2.5 * SAID) said.remove();  // a picture is not the place for three lines
  const parts = [];
  background.made = 0;  // names within a picture do not depend on those made before it
  if (description.html) fitHtml(stage.querySelector(".drawing"));
  const places = description.figures.length ? gridOf(stage, description) : [];
  paint(stage, parts, 1);
  for (const [i, place] of places.entries())
    parts.push(await chart(description.figures[i], place));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDE} ${HIGH}" ` +
    `width="${WIDE}" height="${HIGH}" role="img" font-family='${FAMILY}' fill="${INK}">` +
    `<title>${escaped(description.title)}</title><desc>${escaped(description.alt)}</desc>` +
    `<style>${fontFace()}</style><rect width="${WIDE}" height="${HIGH}" fill="#fff"/>` +
    `${parts.join("")}</svg>`;
  const made = {svg};
  if (kinds.includes("png")) made.png = await rasterised(svg);
  return made;
}

// ---- what stands where

function staged(description) {
  const stage = element("div");
  stage.id = "picture";
  stage.append(element("h1", "", description.title));
  if (description.said) stage.append(element("p", "said", description.said));
  const room = element("div", "room");
  if (description.legend) {
    const key = element("div", "legend");
    key.style.zoom = key.dataset.scale = 1.25;
    key.append(inert(description.legend));
    room.append(key);
  }
  const drawing = element("div", "drawing");
  if (description.html) {
    const inner = element("div", "html");
    inner.append(inert(description.html));
    drawing.append(inner);
  }
  room.append(drawing);
  const foot = element("footer");
  for (const [name, text] of description.footer) {
    const line = element("p");
    line.append(element("b", "", name), ` ${text}`);
    foot.append(line);
  }
  stage.append(room, foot);
  return stage;
}

function element(kind, className = "", text = "") {
  const made = document.createElement(kind);
  if (className) made.className = className;
  made.textContent = text;
  return made;
}

// HTML that can do nothing but be seen, all of it open.
function inert(text) {
  const parsed = element("template");
  parsed.innerHTML = text;
  for (const one of parsed.content.querySelectorAll("*")) {
    if (/^(script|iframe|object|embed|link|img|base|meta)$/i.test(one.tagName)) one.remove();
    for (const {name} of [...one.attributes]) if (/^on/i.test(name)) one.removeAttribute(name);
    if (one.tagName === "DETAILS") one.open = true;
  }
  return parsed.content;
}

// The largest scale at which all of an HTML drawing is inside; the end of a thin line may stand in
// the margin.
function fitHtml(drawing) {
  const inner = drawing.querySelector(".html"), {clientWidth: wide, clientHeight: high} = drawing;
  for (let scale = LARGEST; scale > 0.2; scale *= 0.97) {
    inner.style.width = `${wide / scale}px`;
    inner.style.transform = `scale(${scale})`;
    inner.dataset.scale = scale;
    const fits = inner.scrollHeight * scale <= high && inner.scrollWidth * scale <= wide + EDGE / 2;
    if (fits && !overfull(inner)) return;
  }
}

function overfull(inner) {
  return [...inner.querySelectorAll("*")].some((one) =>
    one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== "visible");
}

// Charts side by side in as many rows as show them largest, with at least as much room as on a small laptop.
function gridOf(stage, description) {
  const room = stage.querySelector(".drawing").getBoundingClientRect();
  const number = description.figures.length;
  const natural = description.figures.map((one) => one.layout.height || 400);
  let best = {scale: 0};
  for (let columns = 1; columns <= number; columns++) {
    const rows = Math.ceil(number / columns);
    const wide = (room.width - GAP * (columns - 1)) / columns;
    const high = (room.height - GAP * (rows - 1)) / rows;
    const scale = Math.min(LARGEST, high / Math.max(...natural), wide / description.wide);
    if (scale > best.scale + 1e-9) best = {scale, columns, wide, high};
  }
  const {scale, columns, wide, high} = best;
  return natural.map((_, i) => ({
    scale, wide, high,
    x: room.left + (i % columns) * (wide + GAP),
    y: room.top + Math.floor(i / columns) * (high + GAP),
  }));
}

function plotlyReady() {
  return plotlyReady.found ||= new Promise((found, failed) => {
    const script = element("script");
    script.onload = found;
    script.onerror = () => failed(new Error("plotly.js was not found"));
    script.src = document.documentElement.dataset.plotly;
    document.head.append(script);
  });
}

async function chart(figure, {x, y, wide, high, scale}) {
  await plotlyReady();
  const width = wide / scale, height = high / scale;
  const layout = {
    ...figure.layout, width, height, autosize: false, paper_bgcolor: "#fff", plot_bgcolor: "#fff",
    font: {color: INK, ...figure.layout.font, family: FAMILY},
  };
  const data = await Plotly.toImage(
    {data: figure.data, layout, config: {staticPlot: true}}, {format: "svg", width, height});
  const text = decodeURIComponent(data.slice(data.indexOf(",") + 1));
  const drawn = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const inside = [...drawn.childNodes].map((one) => new XMLSerializer().serializeToString(one));
  return `<g class="chart" transform="translate(${x} ${y}) scale(${scale})">${inside.join("")}</g>`;
}

// ---- from laid out elements to SVG

function paint(node, parts, scale) {
  if (node.nodeType === Node.TEXT_NODE) return paintText(node, parts, scale);
  if (node.nodeType !== Node.ELEMENT_NODE || node.tagName === "STYLE") return;
  const style = getComputedStyle(node);
  if (style.display === "none") return;
  const own = Number(node.dataset?.scale || 1);
  const faint = style.opacity !== "1";
  if (faint) parts.push(`<g opacity="${style.opacity}">`);
  if (style.visibility !== "hidden") for (const box of boxesOf(node, style)) {
    parts.push(background(box, style, scale), borders(box, style, scale));
  }
  if (node instanceof SVGSVGElement) parts.push(copied(node));
  else {
    materialise(node);
    for (const child of node.childNodes) paint(child, parts, scale * own);
  }
  if (faint) parts.push("</g>");
}

function boxesOf(node, style) {
  return style.display === "inline" ? [...node.getClientRects()] : [node.getBoundingClientRect()];
}

// Signs that a style sheet draws before or after an element become elements.
function materialise(node) {
  for (const side of ["::before", "::after"]) {
    const style = getComputedStyle(node, side);
    if (["none", "normal"].includes(style.content)) continue;
    const sign = element("span", "", style.content.replace(/^"|"$/g, ""));
    for (const name of style) sign.style.setProperty(name, style.getPropertyValue(name));
    node.classList.add("materialised");
    if (side === "::before") node.prepend(sign); else node.append(sign);
  }
}

function background(box, style, scale) {
  if (!box.width || !box.height) return "";
  let fill = style.backgroundColor, defined = "";
  const stops = gradientStops(style.backgroundImage);
  if (stops.length) {
    const id = `fade-${++background.made}`;
    fill = `url(#${id})`;
    defined = `<defs><linearGradient id="${id}">${stops.map((one, i) =>
      `<stop offset="${i / (stops.length - 1)}" stop-color="${one}"/>`).join("")}` +
      "</linearGradient></defs>";
  } else if (isClear(fill)) return "";
  return `${defined}<path d="${rounded(box, style, scale)}" ${paintOf("fill", fill)}/>`;
}

// Evenly spaced colours from left to right, which is all that the drawings use.
function gradientStops(image) {
  const found = /^linear-gradient\((?:90deg|to right), (.*)\)$/.exec(image);
  return found ? found[1].match(/rgba?\([^)]*\)/g) : [];
}

function rounded({left, top, right, bottom}, style, scale) {
  const most = Math.min(right - left, bottom - top) / 2;
  const [a, b, c, d] = ["TopLeft", "TopRight", "BottomRight", "BottomLeft"].map((corner) => {
    const text = style[`border${corner}Radius`], size = parseFloat(text) || 0;
    return Math.min(text.includes("%") ? size / 100 * (right - left) : size * scale, most);
  });
  return `M${left + a} ${top}H${right - b}a${b} ${b} 0 0 1 ${b} ${b}V${bottom - c}` +
    `a${c} ${c} 0 0 1 ${-c} ${c}H${left + d}a${d} ${d} 0 0 1 ${-d} ${-d}V${top + a}` +
    `a${a} ${a} 0 0 1 ${a} ${-a}Z`;
}

function borders(box, style, scale) {
  const sides = ["Top", "Right", "Bottom", "Left"].map((side) => ({
    width: parseFloat(style[`border${side}Width`]) * scale, kind: style[`border${side}Style`],
    color: style[`border${side}Color`],
  }));
  const seen = sides.map((s) => s.width > 0 && !["none", "hidden"].includes(s.kind) &&
    !isClear(s.color));
  const round = parseFloat(style.borderTopLeftRadius) > 0;
  if (round && seen[0] && seen[1] && seen[3]) {
    const w = sides[0].width / 2, below = seen[2] ? -w : 0;
    const inner = {left: box.left + w, top: box.top + w, right: box.right - w,
      bottom: box.bottom + below};
    return `<path d="${rounded(inner, style, scale)}" fill="none" ` +
      `${paintOf("stroke", sides[0].color)} stroke-width="${sides[0].width}"/>`;
  }
  const {left, right, top, bottom} = box;
  return sides.map(({width, kind, color}, i) => {
    if (!seen[i]) return "";
    const h = width / 2;
    const ends = [[left, top + h, right, top + h], [right - h, top, right - h, bottom],
      [left, bottom - h, right, bottom - h], [left + h, top, left + h, bottom]][i];
    const dash = kind === "dashed" ? ` stroke-dasharray="${3 * width} ${2 * width}"` :
      kind === "dotted" ? ` stroke-dasharray="${width} ${width}"` : "";
    return `<path d="M${ends[0]} ${ends[1]}L${ends[2]} ${ends[3]}" ${paintOf("stroke", color)} ` +
      `stroke-width="${width}"${dash}/>`;
  }).join("");
}

function copied(svg) {
  const box = svg.getBoundingClientRect(), copy = svg.cloneNode(true);
  for (const [name, value] of Object.entries(
    {x: box.left, y: box.top, width: box.width, height: box.height})) copy.setAttribute(name, value);
  copy.setAttribute("color", getComputedStyle(svg).color);
  return new XMLSerializer().serializeToString(copy);
}

function paintText(node, parts, scale) {
  const style = getComputedStyle(node.parentElement);
  if (style.visibility === "hidden") return;
  const size = parseFloat(style.fontSize) * scale;
  const measure = paintText.pen ||= document.createElement("canvas").getContext("2d");
  measure.font = `${style.fontStyle} ${style.fontWeight} ${size}px ${FAMILY}`;
  const {fontBoundingBoxAscent: up, fontBoundingBoxDescent: down} = measure.measureText("x");
  for (const line of linesOf(node)) {
    const base = line.top + (line.bottom - line.top) * up / (up + down);
    const spread = parseFloat(style.letterSpacing) * scale;
    // the length is said, so that a program without the font cuts nothing either
    parts.push(`<text x="${line.left.toFixed(2)}" y="${base.toFixed(2)}" ` +
      `textLength="${(line.right - line.left).toFixed(2)}" lengthAdjust="spacingAndGlyphs" ` +
      `font-size="${size.toFixed(2)}" font-weight="${style.fontWeight}" ` +
      `${style.fontStyle === "normal" ? "" : `font-style="${style.fontStyle}" `}` +
      `${spread ? `letter-spacing="${spread}" ` : ""}${paintOf("fill", style.color)} ` +
      `style="font-variant-numeric:${style.fontVariantNumeric}">${escaped(cased(line.text, style))}` +
      "</text>");
  }
}

// The lines that the browser broke a text into, each with the box it stands in.
function linesOf(node) {
  const range = document.createRange(), lines = [];
  let line = null, i = 0;
  for (const sign of node.data) {
    range.setStart(node, i);
    range.setEnd(node, i += sign.length);
    const box = range.getClientRects()[0];
    if (!box || !box.width) continue;
    if (!line || Math.abs(box.top - line.top) > (line.bottom - line.top) / 2) {
      line = {text: "", left: box.left, right: box.left, top: box.top, bottom: box.bottom};
      lines.push(line);
    }
    const space = /\s/.test(sign) && sign !== "\u00a0" && sign !== "\u202f";
    if (space && !line.text) continue;
    if (!line.text) line.left = box.left;
    line.text += space ? " " : sign;
    if (!space) line.right = box.right;
  }
  for (const one of lines) one.text = one.text.trimEnd();
  return lines.filter((one) => one.text.trim());
}

function cased(text, {textTransform}) {
  return textTransform === "uppercase" ? text.toUpperCase() :
    textTransform === "lowercase" ? text.toLowerCase() : text;
}

function isClear(color) {
  return color === "transparent" || /^rgba\(.*, 0\)$/.test(color);
}

// Not every program that opens SVG knows rgba(): the opacity goes into an attribute of its own.
function paintOf(kind, color) {
  const found = /^rgba\((\d+), (\d+), (\d+), ([\d.]+)\)$/.exec(color);
  return found ? `${kind}="rgb(${found[1]},${found[2]},${found[3]})" ${kind}-opacity="${found[4]}"` :
    `${kind}="${color}"`;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

// ---- fonts and pixels

function fontFace() {
  return document.getElementById("font").textContent;
}

async function fontsReady() {
  if (!document.getElementById("look")) {
    const look = element("style", "", LOOK);
    look.id = "look";
    document.head.append(look);
  }
  await Promise.all([400, 600, 650, 700].map((weight) =>
    document.fonts.load(`${weight} 16px "Source Sans 3"`)));
  await document.fonts.ready;
}

async function rasterised(svg) {
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [2 * WIDE, 2 * HIGH];
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.drawImage(picture, 0, 0, WIDE, HIGH);
  return canvas.toDataURL("image/png");
}
