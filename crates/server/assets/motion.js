// What moves on a board, and how: pieces slide, hop or knock, what was taken shrinks, what has gone under sinks.
// @ts-check
import { node } from "./draw.js";

/** @import { Point } from "./moves.js" */

const EASE = "cubic-bezier(.2, .7, .2, 1)";
/** How a kind of piece goes; all others slide. @type {Record<string, {ms: number, lift?: number, knock?: boolean}>} */
const WAYS = { horse: { ms: 180, lift: 46 }, stone: { ms: 240, knock: true } };

const reduced = matchMedia("(prefers-reduced-motion: reduce)");
export const isStill = () => reduced.matches;

/** @param {{x: number, y: number, scale: number}} place */
export const transform = ({ x, y, scale }) => `translate(${x}px, ${y}px) scale(${scale})`;

/** The pieces that are on their way. To ask the browser costs more than to know it. @type {WeakMap<SVGElement, Animation>} */
const moving = new WeakMap();

/** Leaves a piece where it is seen now. @param {SVGElement} piece */
export function halt(piece) {
  moving.get(piece)?.cancel();
  moving.delete(piece);
}

/**
 * Brings a piece from where it is seen to its place.
 * @param {SVGElement} piece @param {{x: number, y: number, scale: number}} to @param {string} sprite
 */
export function glide(piece, to, sprite) {
  const end = transform(to);
  if (isStill()) {
    halt(piece);
    piece.style.transform = end;
    return;
  }
  const begin = new DOMMatrix(moving.has(piece) ? getComputedStyle(piece).transform : piece.style.transform);
  halt(piece);
  piece.style.transform = end;
  const { ms, lift, knock } = WAYS[sprite] ?? { ms: 240 };
  const [x, y] = [(begin.e + to.x) / 2, (begin.f + to.y) / 2];
  /** @type {Keyframe[]} */
  const frames = [{ transform: begin.toString() }];
  if (lift) frames.push({ transform: transform({ x, y: y - lift, scale: 1.15 * to.scale }), easing: "ease-in" });
  if (knock) frames.push({ transform: end, offset: 0.8 }, { transform: `${end} scale(1.07, .93)`, offset: 0.9 });
  const way = piece.animate([...frames, { transform: end }], { duration: ms, easing: lift ? "ease-out" : EASE });
  moving.set(piece, way);
  way.onfinish = () => moving.get(piece) === way && moving.delete(piece);
}

/** Takes a piece away when the one that took it has come. @param {SVGElement} piece */
export function vanish(piece) {
  if (isStill()) return piece.remove();
  const at = piece.style.transform;
  const frames = [{ transform: at, opacity: 1 }, { transform: `${at} scale(.4)`, opacity: 0 }];
  piece.animate(frames, { duration: 160, delay: 120, fill: "both" }).finished.then(() => piece.remove(), () => piece.remove());
}

/** Lets a cell go under once the piece has left it. @param {SVGElement} cell its drawing @param {Element} layer @param {Point} at */
export function sink(cell, layer, at) {
  if (isStill()) return;
  const place = `translate(${at.x}px, ${at.y}px)`;
  layer.append(cell);
  const frames = [{ transform: place, opacity: 1 }, { transform: `${place} translateY(14px) scale(.94)`, opacity: 0 }];
  cell.animate(frames, { duration: 600, delay: 160, easing: EASE, fill: "both" }).finished.then(() => cell.remove(), () => cell.remove());
  for (const delay of [420, 620]) {
    const ring = node("circle", { class: "m-ripple", r: 44 });
    layer.append(ring);
    const waves = [{ transform: `${place} scale(.4)`, opacity: 0 }, { opacity: 0.8, offset: 0.25 }, { transform: `${place} scale(1.1)`, opacity: 0 }];
    ring.animate(waves, { duration: 700, delay, fill: "both" }).finished.then(() => ring.remove(), () => ring.remove());
  }
}
