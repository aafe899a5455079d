// Draws a scene as SVG, with the drawings that the server's picture has brought along.
// @ts-check

const SVG = "http://www.w3.org/2000/svg";
const THICKNESS = 9;
/** Where the fish of a floe swim, by their number. */
const SHOALS = [
  { scale: 1.75, at: [[0, -3]] },
  { scale: 1.3, at: [[-7, -18], [7, 13]] },
  { scale: 1.05, at: [[4, -25], [-20, -1], [14, 21]] },
  { scale: 0.95, at: [[-12, -26], [25, -13], [-25, 3], [12, 20]] },
  { scale: 0.9, at: [[-17, -27], [22, -23], [-1, -4], [-24, 15], [18, 20]] },
];
const BESIDE = { scale: 0.46, at: [[42, 1], [-42, 1], [39, -17], [-39, -17], [39, 19]] };
/** Where the mark of a piece stands, and its size. */
const MARKS = { penguin: [16, 21], pawn: [13, 18], horse: [17, 18], stone: [1, 38] };

/**
 * @import { Caption, Cell, Piece, Point, Scene, Shape } from "./moves.js"
 */

/** @param {string} name @param {Record<string, string | number>} attributes @param {Element[]} children */
export function node(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** An outline around 0, smaller by an inset. @param {Shape} shape @param {Record<string, string | number>} attributes */
export function outline(shape, attributes, inset = 0) {
  if (shape.rect) {
    const [width, height] = shape.rect.map((side) => side - 2 * inset);
    return node("rect", { x: -width / 2, y: -height / 2, width, height, ...attributes });
  }
  if (shape.circle !== undefined) return node("circle", { r: shape.circle - inset, ...attributes });
  const [wide, high] = size(shape);
  const points = (shape.polygon ?? []).map(([x, y]) => `${x * (1 - (2 * inset) / wide)} ${y * (1 - (2 * inset) / high)}`);
  return node("polygon", { points: points.join(" "), ...attributes });
}

/** Width and height of a shape. @param {Shape} shape @returns {[number, number]} */
export function size(shape) {
  if (shape.rect) return shape.rect;
  if (shape.circle !== undefined) return [2 * shape.circle, 2 * shape.circle];
  const span = (/** @type {0 | 1} */ axis) => {
    const all = (shape.polygon ?? [[0, 0]]).map((corner) => corner[axis]);
    return Math.max(1, Math.max(...all) - Math.min(...all));
  };
  return [span(0), span(1)];
}

/** An arrow between two points. @param {Point} from @param {Point} to @param {string} name */
export function arrow(from, to, name) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length < 1) return node("g");
  const [dx, dy] = [(to.x - from.x) / length, (to.y - from.y) / length];
  const tip = Math.max(length - 34, 24);
  const corners = [[2, -5], [tip - 22, -5], [tip - 22, -15], [tip, 0], [tip - 22, 15], [tip - 22, 5], [2, 5]];
  const at = (/** @type {number[]} */ [along, across]) => `${from.x + along * dx - across * dy} ${from.y + along * dy + across * dx}`;
  return node("path", { class: name, d: `M${corners.map(at).join("L")}Z` });
}

/** @param {Shape} shape @param {string} prefix */
function floe(shape, prefix) {
  const [wide, high] = size(shape);
  const [left, up, right] = [wide * 0.43, high * 0.43, wide * 0.2];
  const parts = [
    outline(shape, { class: "sea-side", transform: `translate(0 ${THICKNESS})` }, 3),
    outline(shape, { class: "sea-ice", fill: `url(#${prefix}ice)` }, 3),
  ];
  // The glint follows the upper left edge of a hexagon that stands on a side.
  if (wide > high) parts.push(node("path", { class: "sea-glint", d: `M${-left} -4L${-left / 2 - 1} ${-up}H${right}` }));
  return parts;
}

/** One cell, without what lies on it. @param {Scene} scene @param {Cell} cell @param {Shape} shape @param {Point} at @param {string} prefix */
export function cellNode(scene, cell, shape, at, prefix) {
  const isFloe = scene.ground === "sea" && cell.classes.includes("floe");
  const parts = isFloe ? floe(shape, prefix) : cell.classes.map((name) => outline(shape, { class: `${scene.ground}-${name}` }));
  return node("g", { transform: `translate(${at.x} ${at.y})` }, ...parts);
}

/** What there is to gain on a cell. @param {Scene} scene @param {Cell} cell @param {Point} at @param {boolean} isOccupied @param {string} prefix */
export function valueNode(scene, cell, at, isOccupied, prefix) {
  const made = node("g", { transform: `translate(${at.x} ${at.y})` });
  const shoal = cell.classes.includes("floe") ? SHOALS[(cell.value ?? 0) - 1] : undefined;
  if (shoal) {
    const { at: places, scale } = isOccupied ? BESIDE : shoal;
    for (const [x, y] of places.slice(0, cell.value)) {
      made.append(node("use", { href: `#${prefix}fish`, transform: `translate(${x} ${y}) scale(${scale})` }));
    }
  } else {
    const [x, large] = isOccupied ? [42, 18] : [0, 36];
    const text = node("text", { class: `${scene.ground}-times`, x, y: large * 0.35, "font-size": large });
    text.textContent = `×${cell.value}`;
    made.append(text);
  }
  return made;
}

/** A text at a place of the board. @param {Scene} scene @param {Caption} caption @param {Point} at */
export function coordinate(scene, caption, at) {
  const large = scene.ground === "sea" ? 13 : 24;
  const text = node("text", { class: `${scene.ground}-co`, x: at.x, y: at.y + large * 0.35, "font-size": large });
  text.textContent = caption.text;
  return text;
}

/** A sign on a disc. @param {Point} at @param {string} text @param {string} name */
export function badge(at, text, name) {
  const sign = node("text", { class: "m-rank-text", y: 8 });
  sign.textContent = text;
  return node("g", { transform: `translate(${at.x} ${at.y})` }, node("circle", { class: `m-rank ${name}`, r: 20 }), sign);
}

/** The upper right of a cell. @param {Point} at @param {Shape} shape @returns {Point} */
export function corner(at, shape) {
  const [wide, high] = size(shape);
  return { x: at.x + wide * 0.36, y: at.y - high * 0.36 };
}

/**
 * A piece around 0. A drawing that was made before any piece stood there has no mark yet.
 * @param {SVGElement} svg @param {Scene} scene @param {Piece} piece @param {string} prefix
 */
export function pieceNode(svg, scene, piece, prefix) {
  const drawing = svg.querySelector(`#${CSS.escape(`${prefix}p${piece.seat}`)}`);
  if (drawing && !drawing.querySelector("text")) {
    const name = /** @type {keyof typeof MARKS} */ (scene.sprite in MARKS ? scene.sprite : "stone");
    const [y, large] = MARKS[name];
    const mark = node("text", { class: `${name}-mark`, y: y + large * 0.35, "font-size": large });
    mark.textContent = piece.mark;
    drawing.append(mark);
  }
  return node("g", { "data-id": piece.id }, node("use", { href: `#${prefix}p${piece.seat}` }));
}
