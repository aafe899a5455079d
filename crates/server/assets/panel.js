// What stands around the board of a match: seats, clocks, the list of moves, the chat, and what can be done.
// @ts-check
import { inPairs, time } from "./moves.js";

/**
 * @import { Entry, Scene } from "./moves.js"
 * @typedef {{name: string, label: string, kind: "person" | "computer" | "bot", you: boolean, online: boolean | null, back_ms: number | null, backAt?: number, out: boolean}} Seat
 * @typedef {{sentence: string, cause: string, blame: string | null, winners: number[], scores: number[] | null,
 *   places: number[] | null, offender: number | null, evidence: object | null}} Verdict
 * @typedef {{id: string, version: number, game: string, title: string, casual: boolean, unrated: string | null, evaluated: boolean, time: string, seats: Seat[],
 *   you: number | null, ply: number, scene: Scene, entries: Entry[],
 *   asked: {seat: number, ply: number, left_ms: number | null, running_ms: number} | null, clocks_ms: number[],
 *   offer: {kind: string, by: number, to?: number, waits_for: number[]} | null, over: Verdict | null, suspended: boolean,
 *   waiting: number[], rematch: string | null, note?: string | null, tournament: string | null, viewers: number,
 *   can: {move: boolean, resign: boolean, take_back: number | null, draw: boolean, hint: boolean, chat: boolean, rematch: boolean}}} State
 */

/** @param {string} name @param {string} className @param {...(string | Node)} parts */
export function make(name, className, ...parts) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...parts);
  return made;
}

/** @param {string} text @param {string} act */
export function button(text, act, name = "btn") {
  const made = /** @type {HTMLButtonElement} */ (make("button", name, text));
  made.type = "button";
  made.dataset.act = act;
  return made;
}

/** A part of a page, by its name. @param {ParentNode} root @param {string} name @returns {HTMLElement | null} */
export const part = (root, name) => root.querySelector(`[data-part="${name}"]`);

/** Writes a text only where it is another. @param {Element | null | undefined} node @param {string} text */
export function write(node, text) {
  if (node && node.textContent !== text) node.textContent = text;
}

/** From when on nobody has to wait for them. @param {Seat} seat */
export function keepAway(seat) {
  seat.backAt = seat.back_ms === null ? undefined : performance.now() + seat.back_ms;
}

/** What is said of somebody who has gone away. @param {State} state @param {Seat} seat */
function awaited(state, seat) {
  if (seat.backAt === undefined) return state.clocks_ms.length ? "away; the clock runs on" : "away, the seat is kept";
  const left = seat.backAt - performance.now();
  if (left > 0) return `away, back within ${time(left)}?`;
  return state.you === null ? "away" : "away; you may end the game on its turn";
}

/** The seat that keeps a match waiting, and has been away for too long. @param {State} state @returns {Seat | null} */
export function overdue(state) {
  if (state.over || state.you === null) return null;
  const isLate = (/** @type {Seat} */ seat) => !seat.you && seat.backAt !== undefined && seat.backAt <= performance.now();
  // A paused match waits for its bots, and for nobody else.
  const awaitedSeats = state.seats.filter((seat, idx) => (state.suspended ? seat.kind === "bot" : idx === state.asked?.seat));
  return awaitedSeats.find(isLate) ?? null;
}

/** How many moves that a program expects are shown, and how long all it says of its move may be. */
const [EXPECTED, SAID] = [4, 100];

/** What a program said of its own move, in a few words. @param {Entry["info"]} info */
function thoughts(info) {
  const { depth, score, line = [], text } = info ?? {};
  const ahead = line.length ? `expects ${line.slice(0, EXPECTED).join(" ")}` : "";
  const parts = [depth === undefined ? "" : `depth ${depth}`, score === undefined ? "" : `score ${score}`, ahead, text ? `“${text}”` : ""];
  const all = parts.filter(Boolean).join(", ");
  return all.length > SAID ? `${all.slice(0, SAID)}…` : all;
}

/** How a seat stands; what its program says has only the room that is left. @param {Element | null} sub @param {string} about @param {string} said */
function writeSub(sub, about, said) {
  const more = said ? [make("span", "said", ` · ${said}`)] : [];
  // Where there is little room the rest is told to whoever points at it.
  for (const made of more) made.title = said;
  if (sub && sub.textContent !== about + (more[0]?.textContent ?? "")) sub.replaceChildren(about, ...more);
}

/**
 * @param {HTMLElement} root @param {State} state @param {Scene | undefined} scene @param {number} ply the one that is looked at
 * @param {(string | null)[]} accuracy
 */
export function showSeats(root, state, scene, ply, accuracy) {
  const captions = new Map();
  for (const { place, text } of scene?.captions ?? []) if (place !== "status" && place.seat !== undefined) captions.set(place.seat, text);
  state.seats.forEach((seat, idx) => {
    const row = root.querySelector(`[data-seat="${idx}"]`);
    if (!row) return;
    const isTurn = !state.over && state.asked?.seat === idx;
    // Many seats are a row on phones: whoever is to move is seen.
    const list = row.parentElement;
    const left = (/** @type {Element | null} */ node) => /** @type {HTMLElement} */ (node).offsetLeft;
    if (isTurn && !row.classList.contains("turn") && list) list.scrollLeft = left(row) - left(list.firstElementChild);
    row.classList.toggle("turn", isTurn);
    row.classList.toggle("out", seat.out);
    const isAway = !state.over && seat.kind === "person" && !seat.you && seat.online === false && !state.waiting.includes(idx);
    row.classList.toggle("away", isAway);
    write(row.querySelector(".who > span"), state.waiting.includes(idx) && !state.tournament ? "open seat" : seat.name);
    const about = [captions.get(idx) ?? seat.label, ...(isAway ? [awaited(state, seat)] : []), ...(accuracy[idx] ? [`accuracy ${accuracy[idx]}`] : [])];
    const last = state.entries.findLast((entry) => entry?.kind === "moved" && entry.seat === idx && entry.ply <= ply);
    writeSub(row.querySelector(".sub"), about.join(" · "), thoughts(last?.info));
    const score = state.over?.scores?.[idx];
    let sign = row.querySelector(".score");
    if (score === undefined) return sign?.remove();
    row.querySelector(".clock")?.remove();
    if (!sign) row.append((sign = make("span", "score num")));
    write(sign, String(score));
  });
}

/**
 * Moves the clocks on. @param {HTMLElement} root @param {State} state @param {number} since
 * @returns {number | null} what is left to whoever looks, while its clock runs
 */
export function showClocks(root, state, since) {
  let own = null;
  state.clocks_ms.forEach((ms, idx) => {
    const clock = root.querySelector(`[data-seat="${idx}"] .clock`);
    if (!clock) return;
    const runs = !state.over && !state.suspended && state.asked?.seat === idx;
    const left = runs ? ms - (performance.now() - since) : ms;
    write(clock, time(left));
    clock.classList.toggle("low", runs && left < 10_000);
    if (runs && idx === state.you) own = left;
  });
  return own;
}

/** The sign and its kind for what a review says of a move. @type {Record<string, [string, string, string]>} */
export const SIGNS = {
  great: ["!", "good", "the only good move"],
  inaccuracy: ["?!", "warn", "a slip"],
  mistake: ["?", "bad", "a mistake"],
  blunder: ["??", "bad", "a blunder"],
};

/**
 * The list of moves: what is new is added; all of it is made again only when something was taken back.
 * @param {HTMLElement} list @param {State} state @param {Map<number, string>} marks ply → judgement
 */
export function listMoves(list, state, marks) {
  const shown = state.entries.filter((entry) => entry && entry.kind !== "said");
  const pairs = state.seats.length === 2 && inPairs(shown.filter((entry) => entry.kind === "moved"));
  const key = `${pairs} ${marks.size}`;
  const same = list.dataset.key === key && shown.slice(0, list.dataset.ids ? list.dataset.ids.split(" ").length : 0).map(idOf).join(" ") === (list.dataset.ids ?? "");
  const from = same && list.dataset.ids ? list.dataset.ids.split(" ").length : 0;
  if (!from) list.replaceChildren();
  list.dataset.key = key;
  list.dataset.ids = shown.map(idOf).join(" ");
  list.classList.toggle("pairs", pairs);
  for (const entry of shown.slice(from)) {
    if (entry.kind !== "moved") {
      list.append(make("li", "line", entry.sentence ?? ""));
      continue;
    }
    const link = /** @type {HTMLAnchorElement} */ (make("a", "", entry.text));
    link.href = `/m/${state.id}?ply=${entry.ply}`;
    link.dataset.ply = String(entry.ply);
    const mark = SIGNS[marks.get(entry.ply) ?? ""];
    if (mark) {
      const sign = make("span", `mk ${mark[1]}`, mark[0]);
      sign.title = mark[2];
      link.append(sign);
    }
    if (!pairs || entry.seat === 0) {
      const number = make("li", "n", String(pairs ? Math.ceil(entry.ply / 2) : entry.ply));
      number.ariaHidden = "true";
      list.append(number);
    }
    list.append(make("li", "", link));
  }
}

/** @param {Entry} entry */
const idOf = (entry) => `${entry.n}:${entry.ply}:${entry.text}`.replaceAll(" ", "_");

/** Marks the move that is looked at, and keeps it in sight. @param {HTMLElement} list @param {number} ply */
export function markMove(list, ply) {
  const old = list.querySelector("[aria-current]");
  const now = /** @type {HTMLElement | null} */ (list.querySelector(`[data-ply="${ply}"]`));
  if (old !== now) old?.removeAttribute("aria-current");
  now?.setAttribute("aria-current", "step");
  const last = /** @type {HTMLElement | null} */ (now ?? (ply > 0 ? list.lastElementChild : list.firstElementChild));
  if (!last) return;
  const [box, place] = [list.getBoundingClientRect(), last.getBoundingClientRect()];
  if (place.bottom > box.bottom || place.top < box.top) list.scrollTop += place.bottom - box.bottom + 8;
  if (place.right > box.right || place.left < box.left) list.scrollLeft += place.right - box.right + 24;
}

/**
 * The chat: texts only, and whoever was muted here is not shown.
 * @param {HTMLElement} root @param {State} state @param {Set<number>} muted @returns {number} how many things were said
 */
export function listChat(root, state, muted) {
  const said = state.entries.filter((entry) => entry?.kind === "said" && entry.seat !== null && !muted.has(entry.seat));
  const list = part(root, "chat");
  const quiet = part(root, "quiet");
  if (quiet) quiet.hidden = said.length > 0;
  if (!list) return said.length;
  const key = said.map((entry) => entry.n).join();
  if (list.dataset.key === key) return said.length;
  list.dataset.key = key;
  list.replaceChildren(...said.map((entry) => {
    const seat = state.seats[entry.seat ?? 0];
    const line = make("li", "", make("b", "", seat.name), " ", entry.text);
    if (seat.you) return line;
    const mute = button("Mute", "mute", "btn quiet sm");
    mute.dataset.of = String(entry.seat);
    mute.ariaLabel = `Mute ${seat.name}`;
    line.append(mute);
    return line;
  }));
  list.scrollTop = list.scrollHeight;
  return said.length;
}

/** Which of the actions can be done. @param {HTMLElement} root @param {State} state */
export function showActions(root, state) {
  const box = part(root, "actions");
  if (!box) return;
  const { can, over, offer, seats, you, casual } = state;
  const plays = you !== null && !over;
  box.hidden = false;
  box.classList.toggle("looker", !plays);
  /** @type {Record<string, [boolean, string]>} */
  const open = {
    hint: [can.hint, casual ? "it is not your turn" : "this game has no hints"],
    take_back: [can.take_back !== null, casual ? "there is nothing to take back" : "this game has no take-backs"],
    draw: [can.draw && !offer, "only between people"],
    ask_resign: [can.resign, ""],
  };
  for (const [act, [isOn, why]] of Object.entries(open)) {
    const made = /** @type {HTMLButtonElement | null} */ (box.querySelector(`[data-act="${act}"]`));
    if (!made) continue;
    made.disabled = !isOn;
    made.title = isOn ? "" : why;
    made.hidden = !plays;
  }
  const say = part(root, "say");
  if (say) say.hidden = !can.chat || !seats.some((seat) => seat.kind === "person" && !seat.you);
  const typed = part(root, "typed");
  if (typed) typed.hidden = !plays;
  const line = part(root, "keyline");
  if (line) line.hidden = !plays;
}

/** The card of a match that is over. @param {HTMLElement} root @param {State} state */
export function showOver(root, state) {
  const rated = part(root, "rated");
  write(rated, state.unrated === null ? "rated" : state.casual ? "casual" : "not rated");
  if (rated) rated.title = state.unrated ?? "";
  const box = part(root, "over");
  if (!box) return;
  const { over, you, rematch, can } = state;
  box.hidden = !over;
  const key = `${over?.sentence} ${rematch} ${can.rematch}`;
  if (!over || box.dataset.key === key) return;
  box.dataset.key = key;
  const row = make("div", "row");
  if (rematch) {
    const link = /** @type {HTMLAnchorElement} */ (make("a", "btn primary", "To the next game"));
    link.href = `/m/${rematch}`;
    row.append(link);
  } else if (state.tournament) {
    const link = /** @type {HTMLAnchorElement} */ (make("a", "btn primary", "To the tournament"));
    link.href = `/t/${state.tournament}`;
    row.append(link);
  } else if (can.rematch) row.append(button("Rematch", "rematch", "btn primary"));
  if (state.ply > 0) row.append(button("Look again", "again"));
  const how = you === null ? "" : over.winners.includes(you) ? (over.winners.length > 1 ? "A draw." : "You won.") : over.winners.length ? "You lost." : "";
  box.replaceChildren(...(how ? [make("p", "how", how)] : []), make("p", "sentence", over.sentence), row);
}
