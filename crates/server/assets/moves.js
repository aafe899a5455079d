// What can be done on a scene, what was done, and where things lie: nothing here touches the page.
// @ts-check

/**
 * @typedef {{id: string, from?: string, to?: string, label: string}} Move
 * @typedef {{id: string, cell: string, seat: number, sprite: string, mark: string, label: string, classes: string[]}} Piece
 * @typedef {{polygon?: [number, number][], rect?: [number, number], circle?: number}} Shape
 * @typedef {{id: string, x: number, y: number, shape: Shape, label: string, classes: string[], value?: number}} Cell
 * @typedef {{place: "status" | {seat?: number, at?: [number, number]}, text: string, classes: string[]}} Caption
 * @typedef {{title: string, ground: string, sprite: string, viewbox: [number, number, number, number], cells: Cell[],
 *   pieces: Piece[], moves: Move[], captions: Caption[]}} Scene
 * @typedef {{x: number, y: number}} Point
 * @typedef {{n: number, ply: number, seat: number | null, kind: string, text: string, ms: number | null,
 *   left_ms: number | null, info?: {depth?: number, score?: number, line?: string[], text?: string} | null, sentence: string | null}} Entry
 */

/**
 * The nearest place in a direction: what lies aside counts more than what lies ahead.
 * @template {Point} T
 * @param {T[]} cells @param {Point} from @param {[number, number]} way @returns {T | null}
 */
export function neighbour(cells, from, [dx, dy]) {
  let best = null;
  let least = Infinity;
  for (const cell of cells) {
    const [x, y] = [cell.x - from.x, cell.y - from.y];
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead <= 1 || aside > 2 * ahead) continue;
    if (ahead + 2 * aside < least) [best, least] = [cell, ahead + 2 * aside];
  }
  return best;
}

/**
 * The place nearest to a point, if one is near enough.
 * @template {Point} T
 * @param {T[]} places @param {Point} point @param {number} most @returns {T | null}
 */
export function nearest(places, point, most) {
  let best = null;
  let least = most;
  for (const place of places) {
    const far = Math.hypot(place.x - point.x, place.y - point.y);
    if (far <= least) [best, least] = [place, far];
  }
  return best;
}

/**
 * The cells where something can be done, with a piece in the hand or without: cell → moves.
 * @param {Move[]} moves @param {string | null} chosen @returns {Map<string, Move[]>}
 */
export function targets(moves, chosen) {
  const found = new Map();
  for (const move of moves) {
    if (!move.to || (move.from ?? null) !== chosen) continue;
    found.set(move.to, [...(found.get(move.to) ?? []), move]);
  }
  return found;
}

/**
 * What a move has changed: the piece that went somewhere, came, or left.
 * @param {Scene | null | undefined} before @param {Scene | null | undefined} after
 * @returns {{from: string | null, to: string | null} | null}
 */
export function lastMove(before, after) {
  if (!before || !after) return null;
  const old = new Map(before.pieces.map((piece) => [piece.id, piece.cell]));
  const moved = after.pieces.find((piece) => old.has(piece.id) && old.get(piece.id) !== piece.cell);
  if (moved) return { from: old.get(moved.id) ?? null, to: moved.cell };
  const come = after.pieces.find((piece) => !old.has(piece.id));
  if (come) return { from: null, to: come.cell };
  const here = new Set(after.pieces.map((piece) => piece.id));
  const left = before.pieces.find((piece) => !here.has(piece.id));
  return left ? { from: left.cell, to: null } : null;
}

/**
 * How the places of a board lie on the screen: turned by a quarter, then by a half.
 * @param {[number, number, number, number]} viewbox @param {boolean} turn @param {boolean} flip
 * @returns {{view: [number, number, number, number], at: (point: Point) => Point, shape: (shape: Shape) => Shape}}
 */
export function layout([x, y, wide, high], turn, flip) {
  /** @type {[number, number, number, number]} */
  const view = turn ? [y, x, high, wide] : [x, y, wide, high];
  const at = (/** @type {Point} */ point) => {
    const turned = turn ? { x: 2 * y + high - point.y, y: point.x } : { x: point.x, y: point.y };
    return flip ? { x: 2 * view[0] + view[2] - turned.x, y: 2 * view[1] + view[3] - turned.y } : turned;
  };
  const corner = (/** @type {[number, number]} */ [left, up]) => {
    const [a, b] = turn ? [-up, left] : [left, up];
    return /** @type {[number, number]} */ (flip ? [-a, -b] : [a, b]);
  };
  const shape = (/** @type {Shape} */ old) => {
    if (old.polygon) return { polygon: old.polygon.map(corner) };
    return old.rect && turn ? { rect: /** @type {[number, number]} */ ([old.rect[1], old.rect[0]]) } : old;
  };
  return { view, at, shape };
}

/** A clock's time. @param {number} ms */
export function time(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

/** Whether two players move one after the other, so that a line of the list has two moves. @param {Entry[]} moves */
export function inPairs(moves) {
  return moves.every((entry, idx) => entry.seat === idx % 2);
}

/**
 * The status of a scene, said to whoever is meant: "white must jump on" becomes "You must jump on".
 * @param {string} text @param {string} label
 */
export function toYou(text, label) {
  if (!label || !text.toLowerCase().startsWith(label.toLowerCase())) return text;
  const [verb, ...rest] = text.slice(label.length).trim().split(" ");
  if (verb === "to") return "";
  const own = { is: "are", has: "have" }[verb] ?? verb.replace(/([^s])s$/, "$1");
  return `You ${[own, ...rest].join(" ")}.`;
}

/**
 * The share of a win after each move, for the first of two players or for every seat: seat → [ply, share].
 * @param {{ply: number, seat: number, before: number, after: number}[]} moves @param {number} nSeats
 */
export function shares(moves, nSeats) {
  /** @type {[number, number][][]} */
  const lines = Array.from({ length: nSeats === 2 ? 1 : nSeats }, () => []);
  for (const { ply, seat, before, after } of moves) {
    if (nSeats !== 2) {
      lines[seat].push([ply, after]);
      continue;
    }
    if (!lines[0].length) lines[0].push([ply - 1, seat === 0 ? before : 1 - before]);
    lines[0].push([ply, seat === 0 ? after : 1 - after]);
  }
  return lines;
}

/** How likely a win is, in words. @param {number} share @param {boolean} proven */
export function percent(share, proven) {
  if (proven) return share > 0.99 ? "wins, proved" : share < 0.01 ? "loses, proved" : "a draw, proved";
  return `${Math.round(100 * share)} %`;
}

/** Who is further behind jumps. */
const BEHIND = 3;

/**
 * The position to show after the one that was seen last: the next one, or for who is far behind a later one. What one seat did in a
 * row, as the hops of a chain, is always seen step by step.
 * @param {(Entry | undefined)[]} entries @param {number} seen @param {number} newest @returns {number}
 */
export function nextShown(entries, seen, newest) {
  if (newest - seen <= BEHIND) return seen + 1;
  const seats = new Map();
  for (const entry of entries) if (entry?.kind === "moved") seats.set(entry.ply, entry.seat);
  let before = newest - 1;
  while (before > seen && seats.get(before) === seats.get(newest)) before -= 1;
  if (before === newest - 1) return newest;
  return Math.max(before, seen + 1);
}
