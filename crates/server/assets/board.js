// rk-board: any scene, to look at or to play on, by click, touch and keyboard.
// @ts-check
import { arrow, badge, cellNode, coordinate, corner, node, outline, pieceNode, size, valueNode } from "./draw.js";
import { glide, halt, sink, transform, vanish } from "./motion.js";
import { layout, nearest, neighbour, targets } from "./moves.js";
import { setting } from "./settings.js";

/**
 * @import { Cell, Move, Piece, Point, Scene } from "./moves.js"
 * @typedef {{from?: string | null, to?: string | null}} Trail
 * @typedef {{from?: string | null, to?: string | null, kind: string, rank?: string}} Arrow
 */

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
/** How far a pointer goes before it drags, and how far beside a cell it may press. */
const [DRAG, NEAR] = [8, 22];
/** Smaller cells ask before a move is made. */
const SMALL = 32;
/** Where the two pieces of a pile stand. */
const [UNDER, OVER, ALONE] = [[-19, 12, 0.76], [15, -11, 0.8], [0, 0, 1]];
const LAYERS = ["cells", "sinking", "last", "marks", "values", "coordinates", "pieces", "hints"];
/** What the server's picture has that is drawn here. */
const OURS = ":scope > use, :scope > text, :scope > g, :scope > path, :scope > .trail";

export class Board extends HTMLElement {
  /** @type {Scene | null} */ #scene = null;
  /** @type {Trail | null} */ #last = null;
  /** @type {Arrow[]} */ #arrows = [];
  /** @type {{cell: string, text: string, kind: string} | null} */ #badge = null;
  /** @type {string | null} */ #chosen = null;
  /** @type {Move | null} */ #asked = null;
  /** @type {string | null} */ #focus = null;
  /** @type {number | null} */ #you = null;
  /** @type {{moved: boolean} | null} */ #drag = null;
  /** @type {Map<string, {key: string, drawing: SVGElement, cell: Cell, at: Point}>} */ #cells = new Map();
  /** @type {Map<string, {key: string, drawing: SVGElement}>} */ #values = new Map();
  /** @type {Map<string, {key: string, seat: number, drawing: SVGElement}>} */ #pieces = new Map();
  /** @type {Record<string, SVGElement> | null} */ #layers = null;
  /** @type {Map<string, HTMLButtonElement>} */ #buttons = new Map();
  #layout = layout([0, 0, 1, 1], false, false);
  #looks = "";

  connectedCallback() {
    this.addEventListener("keydown", (event) => this.#key(event));
    if (this.getAttribute("turn") !== "no") portrait.addEventListener("change", () => this.#draw(false));
  }

  get scene() {
    return this.#scene;
  }

  set scene(scene) {
    if (scene) this.show(scene);
  }

  /**
   * Shows a scene; with its moves, they can be made. A scene that follows the one before is animated.
   * @param {Scene} scene @param {Trail | null} last @param {number | null} you the seat of whoever looks
   */
  show(scene, last = null, you = null) {
    const follows = this.#scene !== null && this.#scene !== scene;
    [this.#scene, this.#last, this.#you] = [scene, last, you];
    [this.#arrows, this.#badge, this.#chosen, this.#asked] = [[], null, null, null];
    this.#draw(follows);
  }

  /** Takes note of the scene that the server has drawn, and leaves the drawing alone. @param {Scene} scene */
  expect(scene) {
    this.#scene = scene;
  }

  /** Points at moves: the best, others, or a bad one. @param {Arrow[]} arrows */
  point(arrows) {
    this.#arrows = arrows;
    this.#marks();
  }

  /** Points at one move, or at nothing. @param {Trail | null} move */
  hint(move) {
    this.point(move ? [{ ...move, kind: "best" }] : []);
  }

  /** Puts a sign on a cell. @param {{cell: string, text: string, kind: string} | null} sign */
  sign(sign) {
    this.#badge = sign;
    this.#marks();
  }

  flip() {
    this.toggleAttribute("flip");
    this.#draw(false);
  }

  /** A small board beside this one, with the same drawings. @param {Scene} scene @param {Arrow[]} arrows */
  copy(scene, arrows = []) {
    const [board, frame] = [/** @type {Board} */ (document.createElement("rk-board")), document.createElement("div")];
    for (const [name, value] of [["mode", "still"], ["turn", "no"], ["prefix", this.#prefix]]) board.setAttribute(name, value);
    frame.className = "board";
    const svg = /** @type {SVGElement} */ (this.#svg?.cloneNode(true) ?? node("svg"));
    for (const old of [...svg.querySelectorAll(`:scope > defs, :scope > title, :scope > desc, ${OURS}`)]) old.remove();
    frame.append(svg);
    board.append(frame);
    board.show(scene);
    board.point(arrows);
    return board;
  }

  /** @returns {SVGSVGElement | null} */
  get #svg() {
    return this.querySelector(".board > svg");
  }

  get #prefix() {
    return this.getAttribute("prefix") ?? "rk-";
  }

  get #isStill() {
    return this.getAttribute("mode") === "still";
  }

  /** @param {string | null | undefined} id */
  #cell(id) {
    return id ? this.#cells.get(id) : undefined;
  }

  #prepare() {
    const svg = this.#svg;
    if (this.#layers || !svg) return;
    // The ground and the drawings stay; what lies on it is ours from now on.
    for (const old of [...svg.querySelectorAll(OURS)]) old.remove();
    this.#layers = Object.fromEntries(LAYERS.map((name) => [name, /** @type {SVGElement} */ (node("g"))]));
    svg.append(...Object.values(this.#layers));
  }

  /** Where everything lies; the ground follows. */
  #place() {
    const [scene, svg] = [this.#scene, this.#svg];
    if (!scene || !svg) return;
    const [, , wide, high] = scene.viewbox;
    const turn = this.getAttribute("turn") !== "no" && !this.#isStill && wide > 1.6 * high && portrait.matches;
    const looks = `${scene.viewbox} ${turn} ${this.hasAttribute("flip")}`;
    if (looks === this.#looks) return;
    this.#looks = looks;
    this.#layout = layout(scene.viewbox, turn, this.hasAttribute("flip"));
    const { view } = this.#layout;
    svg.setAttribute("viewBox", view.join(" "));
    svg.setAttribute("width", String(10 * view[2]));
    svg.setAttribute("height", String(10 * view[3]));
    for (const ground of svg.querySelectorAll(":scope > rect")) {
      const margin = ground.matches('[class$="-frame"]') ? 3 : 0;
      const box = { x: view[0] + margin, y: view[1] + margin, width: view[2] - 2 * margin, height: view[3] - 2 * margin };
      for (const [name, value] of Object.entries(box)) ground.setAttribute(name, String(value));
    }
  }

  /** @param {boolean} isNext whether what is different is to be seen as it happens */
  #draw(isNext) {
    this.#prepare();
    // From here on it has the place that was kept for it.
    this.removeAttribute("wide");
    if (!this.#layers || !this.#scene) return;
    this.#place();
    this.#drawCells(isNext);
    this.#drawPieces(isNext);
    this.#marks();
    if (!this.#isStill) this.#makeButtons();
  }

  /** @param {boolean} isNext */
  #drawCells(isNext) {
    const [scene, layers] = [/** @type {Scene} */ (this.#scene), /** @type {Record<string, SVGElement>} */ (this.#layers)];
    const occupied = new Set(scene.pieces.map((piece) => piece.cell));
    const [oldCells, oldValues] = [this.#cells, this.#values];
    this.#cells = new Map();
    this.#values = new Map();
    for (const cell of scene.cells) {
      const at = this.#layout.at(cell);
      const key = `${at.x} ${at.y} ${cell.classes} ${this.#looks}`;
      const old = oldCells.get(cell.id);
      const same = old?.key === key;
      const drawing = same ? old.drawing : /** @type {SVGElement} */ (cellNode(scene, cell, this.#layout.shape(cell.shape), at, this.#prefix));
      if (!same) layers.cells.append(drawing);
      this.#cells.set(cell.id, { key, drawing, cell, at });
      if (same) oldCells.delete(cell.id);
      if (cell.value === undefined) continue;
      const valueKey = `${at.x} ${at.y} ${cell.value} ${occupied.has(cell.id)}`;
      const value = oldValues.get(cell.id);
      if (value?.key === valueKey) oldValues.delete(cell.id);
      const shown = value?.key === valueKey ? value.drawing : /** @type {SVGElement} */ (valueNode(scene, cell, at, occupied.has(cell.id), this.#prefix));
      if (shown !== value?.drawing) layers.values.append(shown);
      this.#values.set(cell.id, { key: valueKey, drawing: shown });
    }
    for (const [id, { drawing, at }] of oldCells) {
      drawing.remove();
      const now = this.#cells.get(id);
      // What is still there and only looks another way was turned, not lost.
      if (isNext && (!now || (now.at.x === at.x && now.at.y === at.y))) sink(drawing, layers.sinking, at);
    }
    for (const { drawing } of oldValues.values()) drawing.remove();
    if (this.getAttribute("coords") !== "no") this.#coordinates();
  }

  #coordinates() {
    const scene = /** @type {Scene} */ (this.#scene);
    const key = `${this.#looks} ${this.#cells.size}`;
    const layer = /** @type {Record<string, SVGElement>} */ (this.#layers).coordinates;
    if (layer.dataset.key === key) return;
    layer.dataset.key = key;
    if (this.#isStill) return;
    const texts = scene.captions.flatMap((caption) => {
      if (caption.place === "status" || !caption.place.at) return [];
      const [x, y] = caption.place.at;
      // On a cell a text stays where it is seen from the middle of the cell.
      const on = nearest(scene.cells, { x, y }, 49);
      const middle = on && this.#layout.at(on);
      const at = on && middle ? { x: middle.x + x - on.x, y: middle.y + y - on.y } : this.#layout.at({ x, y });
      return [coordinate(scene, caption, at)];
    });
    layer.replaceChildren(...texts);
  }

  /** @param {boolean} isNext */
  #drawPieces(isNext) {
    const [scene, layers] = [/** @type {Scene} */ (this.#scene), /** @type {Record<string, SVGElement>} */ (this.#layers)];
    const gone = new Map(this.#pieces);
    const covers = new Set(scene.pieces.filter((piece) => piece.classes.includes("covered")).map((piece) => piece.cell));
    for (const piece of scene.pieces) {
      const cell = this.#cell(piece.cell);
      if (!cell) continue;
      const [x, y, scale] = piece.classes.includes("covered") ? UNDER : covers.has(piece.cell) ? OVER : ALONE;
      const to = { x: cell.at.x + x, y: cell.at.y + y, scale };
      const key = transform(to);
      let shown = this.#pieces.get(piece.id);
      if (shown?.seat !== piece.seat) shown = undefined;
      else gone.delete(piece.id);
      if (!shown) {
        shown = { key, seat: piece.seat, drawing: /** @type {SVGElement} */ (pieceNode(/** @type {SVGElement} */ (this.#svg), scene, piece, this.#prefix)) };
        shown.drawing.style.transform = key;
        this.#pieces.set(piece.id, shown);
        layers.pieces.append(shown.drawing);
      } else if (shown.key !== key || shown.drawing.classList.contains("held")) {
        shown.key = key;
        shown.drawing.classList.remove("held");
        // What moves is seen above the others.
        if (layers.pieces.lastChild !== shown.drawing) layers.pieces.append(shown.drawing);
        if (isNext) glide(shown.drawing, to, piece.sprite);
        else shown.drawing.style.transform = key;
      } else if (covers.has(piece.cell) && scale === OVER[2] && layers.pieces.lastChild !== shown.drawing) layers.pieces.append(shown.drawing);
    }
    for (const [id, { drawing }] of gone) {
      if (this.#pieces.get(id)?.drawing === drawing) this.#pieces.delete(id);
      if (isNext) vanish(drawing);
      else drawing.remove();
    }
  }

  get #moves() {
    return ["play", "try"].includes(this.getAttribute("mode") ?? "") ? (this.#scene?.moves ?? []) : [];
  }

  #marks() {
    if (!this.#layers || !this.#scene) return;
    /** @param {string | null | undefined} id @param {string} name */
    const shape = (id, name, inset = 5) => {
      const cell = this.#cell(id);
      if (!cell) return [];
      return [outline(this.#layout.shape(cell.cell.shape), { class: name, transform: `translate(${cell.at.x} ${cell.at.y})` }, inset)];
    };
    /** @param {Trail} move @param {string} name */
    const between = ({ from, to }, name) => {
      const [a, b] = [this.#cell(from), this.#cell(to)];
      return a && b && a !== b ? [arrow(a.at, b.at, name)] : [];
    };
    const last = this.#last;
    this.#layers.last.replaceChildren(...(last ? [...shape(last.from, "trail from"), ...shape(last.to, "trail"), ...between(last, "arrow")] : []));
    const occupied = new Set(this.#scene.pieces.map((piece) => piece.cell));
    const open = this.#open();
    const marks = this.#chosen ? shape(this.#chosen, "m-select") : [...this.#sources()].flatMap((id) => shape(id, "m-can", 4));
    for (const id of open.keys()) {
      const cell = this.#cell(id);
      if (!cell) continue;
      const asked = this.#asked?.to === id ? " asked" : "";
      if (occupied.has(id)) marks.push(...shape(id, `m-hit${asked}`, 8));
      else if (cell.cell.value !== undefined) marks.push(...shape(id, `m-tile${asked}`, 6));
      else marks.push(node("circle", { class: `m-dot${asked}`, r: 13, transform: `translate(${cell.at.x} ${cell.at.y})` }));
    }
    this.#layers.marks.replaceChildren(...marks);
    const hints = this.#arrows.flatMap((move) => {
      const lines = between(move, `m-arrow ${move.kind}`);
      const [cell, from] = [this.#cell(move.to ?? move.from), this.#cell(move.from)];
      const all = lines.length ? lines : shape(move.to ?? move.from, `m-ring ${move.kind}`);
      if (!cell || !move.rank) return all;
      // Two moves may end on one cell: the number of a move stands on its way.
      const middle = from && from !== cell ? { x: (from.at.x + cell.at.x) / 2, y: (from.at.y + cell.at.y) / 2 } : corner(cell.at, this.#layout.shape(cell.cell.shape));
      return [...all, badge(middle, move.rank, move.kind)];
    });
    const sign = this.#badge && this.#cell(this.#badge.cell);
    if (sign && this.#badge) hints.push(badge(corner(sign.at, this.#layout.shape(sign.cell.shape)), this.#badge.text, this.#badge.kind));
    this.#layers.hints.replaceChildren(...hints);
    this.#nameButtons(open);
  }

  #sources() {
    return new Set(this.#moves.flatMap((move) => (move.from && move.to ? [move.from] : [])));
  }

  /** Cells that finish a move now: of the chosen piece, or of moves that have no piece to choose. */
  #open() {
    return targets(this.#moves, this.#chosen);
  }

  #makeButtons() {
    const [scene, frame] = [/** @type {Scene} */ (this.#scene), this.querySelector(".board")];
    let layer = this.querySelector(".cells");
    if (!layer) {
      layer = document.createElement("div");
      layer.className = "cells";
      layer.setAttribute("role", "group");
      frame?.append(layer);
      this.#svg?.setAttribute("aria-hidden", "true");
      layer.addEventListener("click", (event) => this.#click(/** @type {MouseEvent} */ (event)));
      layer.addEventListener("pointerdown", (event) => this.#down(/** @type {PointerEvent} */ (event)));
      layer.addEventListener("focusin", (event) => this.#rove(/** @type {HTMLElement} */ (event.target).dataset.cell));
    }
    const key = `${this.#looks} ${scene.cells.map((cell) => cell.id)}`;
    const name = `Board, ${scene.cells.length} cells, arrow keys move`;
    if (layer.getAttribute("aria-label") !== name) layer.setAttribute("aria-label", name);
    if (this.dataset.buttons === key) return;
    this.dataset.buttons = key;
    const [left, top, width, height] = this.#layout.view;
    for (const [id, button] of this.#buttons) {
      if (this.#cells.has(id)) continue;
      button.remove();
      this.#buttons.delete(id);
    }
    for (const { cell, at } of this.#cells.values()) {
      let button = this.#buttons.get(cell.id);
      if (!button) {
        button = document.createElement("button");
        button.type = "button";
        button.dataset.cell = cell.id;
        this.#buttons.set(cell.id, button);
        layer.append(button);
      }
      const shape = this.#layout.shape(cell.shape);
      const [wide, high] = size(shape);
      button.classList.toggle("square", Boolean(shape.rect));
      const share = shape.rect ? 100 : 96;
      button.style.left = `${(100 * (at.x - left)) / width}%`;
      button.style.top = `${(100 * (at.y - top)) / height}%`;
      button.style.width = `${(share * wide) / width}%`;
      button.style.height = `${(share * high) / height}%`;
    }
    this.#nameButtons(this.#open());
  }

  /** @param {Map<string, Move[]>} open */
  #nameButtons(open) {
    if (!this.#buttons.size || !this.#scene) return;
    const sources = new Map();
    for (const { from, to } of this.#moves) if (from && to) sources.set(from, (sources.get(from) ?? 0) + 1);
    /** @type {Map<string, Piece[]>} */
    const on = new Map();
    for (const piece of this.#scene.pieces) on.set(piece.cell, [...(on.get(piece.cell) ?? []), piece]);
    const here = this.#focus && this.#buttons.has(this.#focus) ? this.#focus : ([...sources.keys(), ...open.keys()][0] ?? this.#scene.cells[0]?.id);
    for (const { cell } of this.#cells.values()) {
      const button = this.#buttons.get(cell.id);
      if (!button) continue;
      const pieces = (on.get(cell.id) ?? []).map((piece) => (piece.seat === this.#you ? `your ${piece.label}` : piece.label));
      const n = sources.get(cell.id) ?? 0;
      const can = open.has(cell.id) ? ["can go here"] : n ? [`${n} ${n === 1 ? "move" : "moves"}`] : [];
      const name = [cell.label, ...pieces, ...can].join(", ");
      if (button.ariaLabel !== name) button.ariaLabel = name;
      const pressed = String(this.#chosen === cell.id);
      if (button.ariaPressed !== pressed) button.ariaPressed = pressed;
      button.classList.toggle("can", open.has(cell.id) || n > 0);
      button.classList.toggle("own", n > 0);
      button.tabIndex = cell.id === here ? 0 : -1;
    }
    this.#showExtra();
  }

  /** Moves without a cell to press, several for one pair of cells, and a move that is asked about are buttons below. */
  #showExtra(/** @type {Move[] | null} */ menu = null) {
    const box = this.nextElementSibling;
    if (!box?.matches(".extra")) return;
    const asked = this.#asked;
    const moves = menu ?? (asked ? [asked] : this.#moves.filter((move) => !move.to));
    const key = `${asked ? "?" : ""}${moves.map((move) => move.id)}`;
    if (/** @type {HTMLElement} */ (box).dataset.key === key) return;
    /** @type {HTMLElement} */ (box).dataset.key = key;
    box.replaceChildren(...moves.map((move) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = asked ? "btn primary" : "btn";
      button.textContent = asked ? `Play ${move.label}` : move.label;
      button.addEventListener("click", () => this.#make(move));
      return button;
    }));
    if (menu) box.querySelector("button")?.focus();
  }

  /** @param {string | undefined} id */
  #rove(id) {
    if (!id) return;
    this.#focus = id;
    for (const button of this.#buttons.values()) if (button.tabIndex === 0) button.tabIndex = -1;
    const now = this.#buttons.get(id);
    if (now) now.tabIndex = 0;
    this.dispatchEvent(new CustomEvent("rk-focus", { bubbles: true, detail: { cell: id } }));
  }

  /** @param {MouseEvent} event */
  #click(event) {
    if (this.#drag?.moved) return;
    const button = /** @type {HTMLElement} */ (event.target).closest("button");
    const id = button?.dataset.cell;
    const useful = (/** @type {string} */ cell) => this.#open().has(cell) || this.#sources().has(cell) || cell === this.#chosen;
    if (id && (useful(id) || event.detail === 0)) return this.#press(id, event.detail > 0);
    // A finger beside a cell means the nearest one where something can be done.
    const places = [...this.#buttons].filter(([cell]) => useful(cell)).map(([cell, shown]) => {
      const box = shown.getBoundingClientRect();
      const [x, y] = [Math.max(box.left, Math.min(event.clientX, box.right)), Math.max(box.top, Math.min(event.clientY, box.bottom))];
      return { cell, x, y };
    });
    const near = nearest(places, { x: event.clientX, y: event.clientY }, NEAR);
    this.#press(near?.cell ?? id ?? "", event.detail > 0);
  }

  get #asks() {
    const [first] = this.#buttons.values();
    const chosen = setting("confirm");
    return chosen ? chosen === "yes" : (first?.getBoundingClientRect().width ?? SMALL) < SMALL;
  }

  /** @param {string} id @param {boolean} byPointer */
  #press(id, byPointer) {
    const moves = this.#open().get(id);
    if (moves?.length === 1) {
      if (!byPointer || !this.#asks || this.#asked === moves[0]) return this.#make(moves[0]);
      this.#asked = moves[0];
      return this.#marks();
    }
    if (moves) return this.#showExtra(moves);
    this.#asked = null;
    this.#chosen = this.#sources().has(id) && this.#chosen !== id ? id : null;
    this.#marks();
  }

  /** @param {Move} move */
  #make(move) {
    [this.#chosen, this.#asked] = [null, null];
    this.#marks();
    this.dispatchEvent(new CustomEvent("rk-move", { bubbles: true, detail: { id: move.id } }));
  }

  /** @param {PointerEvent} event */
  #down(event) {
    this.#drag = null;
    const id = /** @type {HTMLElement} */ (event.target).closest("button")?.dataset.cell;
    if (!id || event.button !== 0 || !this.#sources().has(id)) return;
    const piece = this.#scene?.pieces.findLast((piece) => piece.cell === id);
    const shown = piece && this.#pieces.get(piece.id)?.drawing;
    const svg = this.#svg;
    if (!shown || !svg) return;
    const drag = { moved: false };
    this.#drag = drag;
    const ending = new AbortController();
    const { signal } = ending;
    const finish = (/** @type {PointerEvent} */ now) => {
      ending.abort();
      if (!drag.moved) return;
      // The click that follows belongs to the drag.
      setTimeout(() => (this.#drag = null));
      const over = /** @type {HTMLElement | null} */ (document.elementFromPoint(now.clientX, now.clientY)?.closest("button"))?.dataset.cell;
      const made = now.type === "pointerup" && over && over !== id && this.#open().has(over);
      this.#drawPieces(true);
      if (made) this.#press(over, false);
      else this.#marks();
    };
    addEventListener("pointermove", (now) => {
      if (!drag.moved && Math.hypot(now.clientX - event.clientX, now.clientY - event.clientY) < DRAG) return;
      if (!drag.moved) {
        drag.moved = true;
        this.#chosen = id;
        this.#marks();
        halt(shown);
        shown.classList.add("held");
        shown.parentNode?.append(shown);
      }
      const at = new DOMPoint(now.clientX, now.clientY).matrixTransform(svg.getScreenCTM()?.inverse());
      shown.style.transform = transform({ x: at.x, y: at.y, scale: 1.08 });
    }, { signal });
    addEventListener("pointerup", finish, { signal });
    addEventListener("pointercancel", finish, { signal });
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const scene = this.#scene;
    if (event.ctrlKey || event.metaKey || event.altKey || !scene) return;
    const go = (/** @type {string | undefined} */ id) => this.#buttons.get(id ?? "")?.focus();
    if (event.key in ARROWS && this.#focus) {
      const seen = [...this.#cells.values()].map(({ cell, at }) => ({ id: cell.id, ...at }));
      const from = seen.find((cell) => cell.id === this.#focus);
      if (from) go(neighbour(seen, from, ARROWS[event.key])?.id);
    } else if (event.key === "Home") go(scene.cells[0]?.id);
    else if (event.key === "End") go(scene.cells.at(-1)?.id);
    else if (event.key === "Tab" && this.#focus) {
      // On to the next cell where something can be done; after the last, out of the board.
      const open = this.#open();
      const useful = scene.cells.filter(({ id }) => (this.#chosen ? open.has(id) : open.has(id) || this.#sources().has(id)));
      const order = new Map(scene.cells.map((cell, idx) => [cell.id, idx]));
      const here = order.get(this.#focus) ?? 0;
      const ahead = (/** @type {Cell} */ cell) => ((order.get(cell.id) ?? 0) - here) * (event.shiftKey ? -1 : 1) > 0;
      // From the piece that was chosen, the first of its targets comes next, wherever it lies.
      const isNext = (/** @type {Cell} */ cell) => this.#chosen === this.#focus || ahead(cell);
      const next = event.shiftKey ? useful.findLast(isNext) : useful.find(isNext);
      if (!next) return;
      go(next.id);
    } else if (event.key === "Escape" && (this.#chosen || this.#asked)) {
      [this.#chosen, this.#asked] = [null, null];
      this.#marks();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

const portrait = matchMedia("(max-width: 760px) and (orientation: portrait)");
customElements.define("rk-board", Board);
