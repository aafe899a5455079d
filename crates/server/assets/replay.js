// Looking at a match again: scrubber, keys and speed, the review with its graph, the decisive moment, best moves.
// @ts-check
import { node } from "./draw.js";
import { lastMove, percent, shares } from "./moves.js";
import { button, make, part, SIGNS, write } from "./panel.js";

/**
 * @import { Match } from "./match.js"
 * @import { Move, Scene } from "./moves.js"
 * @typedef {{ply: number, seat: number, move: string, before: number, after: number, best: string, line: string[], loss: number,
 *   proven: boolean, plies: number | null, judgement: string | null}} Judged
 * @typedef {{done: boolean, progress: number, players?: {name: string, accuracy: number | null}[], moves?: Judged[], decisive?: number | null}} Review
 * @typedef {{moves: string[], value: number, proven: boolean, worth: string, reason: string}} Line
 */

/** How long each position is shown at the usual speed. */
const STEP_MS = 900;
const SPEEDS = [0.5, 1, 4];
/** How long a position is looked at before best moves are asked for, and how often they change places. */
const [REST, REORDER] = [500, 1000];
/** How many best moves are shown. */
const LINES = 3;
const wait = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

export class Replay {
  /** What is said of moves: ply → judgement. @type {Map<number, string>} */ marks = new Map();
  /** By seat. @type {(string | null)[]} */ accuracy = [];
  /** @type {Judged[]} */ #judged = [];
  /** @type {number | null} */ #decisive = null;
  #playing = 0;
  #speed = 1;
  #isReviewing = false;
  #hasEvidence = false;
  /** @type {AbortController | null} */ #search = null;
  #searched = -1;

  /** @param {Match} match */
  constructor(match) {
    this.match = match;
    const range = /** @type {HTMLInputElement | null} */ (part(match, "range"));
    range?.addEventListener("input", () => (this.play(false), match.goto(Number(range.value))));
    part(match, "analyse")?.addEventListener("change", () => this.#analyse());
    part(match, "graph")?.addEventListener("click", (event) => this.#clickGraph(/** @type {MouseEvent} */ (event)));
    this.#hasEvidence = Boolean(part(match, "evidence")?.firstElementChild);
  }

  show() {
    const { state, ply } = this.match;
    if (!state) return;
    const isOver = state.over !== null;
    const said = part(this.match, "evaluated");
    if (said && isOver) said.hidden = true;
    const scrub = part(this.match, "scrub");
    // Players have their list of moves; the board stays large for them.
    if (scrub) scrub.hidden = state.ply === 0 || (!isOver && state.you !== null);
    const range = /** @type {HTMLInputElement | null} */ (part(this.match, "range"));
    if (range) {
      [range.max, range.value] = [String(state.ply), String(ply)];
      const entry = state.entries.find((made) => made?.kind === "moved" && made.ply === ply);
      range.setAttribute("aria-valuetext", entry ? `After move ${ply}, ${entry.text}` : "Before the first move");
    }
    write(part(this.match, "pos"), `${ply} of ${state.ply}`);
    const best = part(this.match, "best");
    if (best) best.hidden = !isOver || !state.id;
    const tools = part(this.match, "tools");
    if (tools) tools.hidden = !isOver || !state.id;
    // Where the game is over there is nothing to play on.
    const on = /** @type {HTMLButtonElement | null} */ (tools?.querySelector('[data-act="play_on"]') ?? null);
    if (on) on.disabled = ply === state.ply && state.over?.cause === "normal";
    if (isOver && state.id && state.ply > 0) this.#review();
    if (isOver && state.over?.evidence && !this.#hasEvidence) this.#evidence();
    this.#marks();
    if (isOver) this.#analyse();
  }

  /** How good the position of a running match is, for those who look on. @param {{seat: number, value: number, shares: number[], proven: boolean}} eval_ */
  live({ seat, value, shares, proven }) {
    const { state } = this.match;
    if (!state || state.over || state.you !== null) return;
    const said = part(this.match, "evaluated");
    if (said) said.hidden = false;
    const others = shares.length > 2 ? ` (${this.#told(shares, seat)})` : "";
    write(said, `${state.seats[seat].name} is to move: ${percent(value, proven)}${others}`);
    this.#bar(shares, proven);
  }

  /** What everybody has but one, in words. @param {number[]} shares @param {number} [but] */
  #told(shares, but) {
    const seats = this.match.state?.seats ?? [];
    return shares.flatMap((share, seat) => (seat === but ? [] : [`${seats[seat].name} ${percent(share, false)}`])).join(", ");
  }

  /** @param {number[]} shares of all seats, together 1 @param {boolean} proven */
  #bar(shares, proven) {
    const bar = part(this.match, "eval");
    if (!bar || !this.match.state) return;
    bar.hidden = false;
    const parts = /** @type {HTMLElement[]} */ ([...bar.children]);
    if (shares.length > 2) {
      parts.forEach((shown, seat) => (shown.style.flexGrow = String(shares[seat])));
      bar.ariaLabel = this.#told(shares);
      return;
    }
    parts[0].style.height = `${100 * shares[0]}%`;
    const who = shares[0] >= 0.5 ? 0 : 1;
    bar.ariaLabel = `${this.match.state.seats[who].name}: ${percent(shares[who], proven)}`;
  }

  /** Acts on a button; whether it was one of these. @param {string} act @param {HTMLElement} by */
  act(act, by) {
    const { match } = this;
    /** @type {Record<string, () => unknown>} */
    const acts = {
      first: () => match.goto(0),
      prev: () => match.goto(match.ply - 1),
      next: () => match.goto(match.ply + 1),
      last: () => match.goto(Infinity),
      again: () => match.goto(0).then(() => this.play(true)),
      play: () => this.play(!this.#playing),
      speed: () => this.#setSpeed(Number(by.dataset.speed)),
      decisive: () => this.#decisive && match.goto(this.#decisive),
      play_on: () => this.#playOn(Number(by.dataset.at ?? match.ply)),
    };
    if (!acts[act]) return false;
    if (!["play", "again", "speed"].includes(act)) this.play(false);
    acts[act]();
    return true;
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (part(this.match, "scrub")?.hidden && !event.key.startsWith("Arrow")) return false;
    const onControl = /** @type {HTMLElement} */ (event.target).closest("button, a, summary, input");
    if (onControl && [" ", "Home", "End"].includes(event.key)) return false;
    const faster = (/** @type {number} */ by) => this.#setSpeed(SPEEDS[Math.min(Math.max(SPEEDS.indexOf(this.#speed) + by, 0), SPEEDS.length - 1)]);
    /** @type {Record<string, () => unknown>} */
    const keys = {
      ArrowLeft: () => this.act("prev", this.match),
      ArrowRight: () => this.act("next", this.match),
      Home: () => this.act("first", this.match),
      End: () => this.act("last", this.match),
      " ": () => this.play(!this.#playing),
      "<": () => faster(-1),
      ">": () => faster(1),
      d: () => this.act("decisive", this.match),
    };
    if (!keys[event.key]) return false;
    keys[event.key]();
    return true;
  }

  /** @param {boolean} isOn */
  play(isOn) {
    clearInterval(this.#playing);
    this.#playing = 0;
    const shown = this.match.querySelector('[data-act="play"]');
    shown?.querySelector("use")?.setAttribute("href", isOn ? "#i-pause" : "#i-play");
    if (shown) shown.ariaLabel = isOn ? "Stop" : "Play through";
    if (!isOn) return;
    if (this.match.isNewest) this.match.goto(0);
    this.#playing = setInterval(() => {
      if (this.match.isNewest) this.play(false);
      else this.match.goto(this.match.ply + 1);
    }, STEP_MS / this.#speed);
  }

  /** @param {number} speed */
  #setSpeed(speed) {
    this.#speed = speed;
    for (const shown of this.match.querySelectorAll("[data-speed]")) shown.ariaPressed = String(Number(/** @type {HTMLElement} */ (shown).dataset.speed) === speed);
    if (this.#playing) this.play(true);
  }

  /** Asks for the review until it is there. */
  async #review() {
    if (this.#isReviewing) return;
    this.#isReviewing = true;
    const graph = part(this.match, "graph");
    for (;;) {
      const answer = await fetch(`/api/v1/matches/${this.match.state?.id}/review`).catch(() => null);
      // Too many ask for reviews: this one has to wait.
      if (answer?.status === 503) {
        await wait(5000);
        continue;
      }
      /** @type {Review | null} */
      const review = answer?.ok ? await answer.json() : null;
      if (review?.done && review.moves) return this.#reviewed(review);
      if (!review || review.done) {
        if (graph) graph.hidden = true;
        return;
      }
      if (graph) {
        graph.hidden = false;
        graph.classList.add("waits");
        write(graph, `Looking at every move: ${Math.round(100 * review.progress)} %`);
      }
      await wait(700);
    }
  }

  /** @param {Review} review */
  #reviewed({ moves = [], players = [], decisive = null }) {
    this.#judged = moves;
    this.#decisive = decisive;
    this.accuracy = players.map((player) => (player.accuracy === null ? null : `${Math.round(player.accuracy)} %`));
    for (const { ply, judgement } of moves) if (judgement) this.marks.set(ply, judgement);
    this.#graph();
    this.#table();
    const shown = /** @type {HTMLElement | null} */ (this.match.querySelector('.ctl [data-act="decisive"]'));
    if (shown) shown.hidden = false;
    shown?.classList.toggle("unseen", decisive === null);
    this.#moment();
    this.match.refresh();
  }

  /** The share of a win after each move, as lines. */
  #graph() {
    const box = part(this.match, "graph");
    const state = this.match.state;
    if (!box || !state || !this.#judged.length) return;
    const lines = shares(this.#judged, state.seats.length);
    const [most, names] = [Math.max(state.ply, 1), state.seats.map((seat) => seat.name)];
    const at = (/** @type {[number, number]} */ [ply, share]) => `${((100 * ply) / most).toFixed(2)} ${(100 - 100 * share).toFixed(1)}`;
    const svg = node("svg", { class: "graph", viewBox: "0 0 100 100", preserveAspectRatio: "none", role: "img" });
    if (lines.length === 1) {
      const line = lines[0].map(at).join("L");
      const ends = [lines[0][0][0], lines[0].at(-1)?.[0] ?? 0].map((ply) => (100 * ply) / most);
      svg.append(node("path", { class: "ar2", d: `M${ends[0]} 0L${line}L${ends[1]} 0Z` }), node("path", { class: "ar1", d: `M${ends[0]} 100L${line}L${ends[1]} 100Z` }));
    }
    svg.append(node("path", { class: "mid", d: "M0 50H100" }));
    lines.forEach((line, seat) => line.length && svg.append(node("path", { class: `ln${lines.length > 1 ? ` s${seat}` : ""}`, d: `M${line.map(at).join("L")}` })));
    if (this.#decisive) svg.append(node("path", { class: "dec", d: `M${(100 * this.#decisive) / most} 0V100` }));
    svg.append(node("path", { class: "here" }));
    const last = lines[0].at(-1)?.[1] ?? 0.5;
    svg.setAttribute("aria-label", lines.length === 1
      ? `${names[0]}'s share of a win, move by move: from ${percent(lines[0][0][1], false)} to ${percent(last, false)}.`
      : `The share of a win of ${names.join(", ")}, move by move.`);
    box.hidden = false;
    box.classList.remove("waits");
    box.replaceChildren(svg, ...(lines.length === 1 ? [make("span", "lab l-t", `${names[0]} wins`), make("span", "lab l-b", `${names[1]} wins`)] : names.map((name, seat) => make("span", `lab key s${seat}`, name))));
  }

  /** The same as a table. */
  #table() {
    const box = part(this.match, "table");
    if (!box || !this.match.state) return;
    const { seats } = this.match.state;
    const cell = (/** @type {string} */ text, name = "td") => make(name, "", text);
    const rows = this.#judged.map(({ ply, seat, move, before, after, best, judgement, proven }) =>
      make("tr", "", cell(String(ply)), cell(seats[seat].name), cell(move), cell(percent(before, proven)), cell(percent(after, proven)), cell(best === move ? "" : best), cell(SIGNS[judgement ?? ""]?.[2] ?? "")));
    const head = make("tr", "", ...["Move", "Who", "Played", "Before", "After", "Better", ""].map((name) => cell(name, "th")));
    const table = make("table", "table num", make("thead", "", head), make("tbody", "", ...rows));
    const region = make("div", "scroll-x", table);
    region.tabIndex = 0;
    region.role = "region";
    region.ariaLabel = "Every move and what it was worth";
    box.hidden = false;
    box.replaceChildren(make("summary", "", "The graph as a table"), region);
  }

  /** @param {MouseEvent} event */
  #clickGraph(event) {
    const box = part(this.match, "graph")?.getBoundingClientRect();
    if (!box || !this.match.state || !this.#judged.length) return;
    this.play(false);
    this.match.goto(Math.round(((event.clientX - box.left) / box.width) * this.match.state.ply));
  }

  /** What the review says of the position that is looked at. */
  #marks() {
    const { state, ply, board } = this.match;
    if (!state || !this.#judged.length) return;
    this.match.querySelector(".graph .here")?.setAttribute("d", `M${(100 * ply) / Math.max(state.ply, 1)} 0V100`);
    const played = this.#judged.find((judged) => judged.ply === ply);
    const sign = SIGNS[played?.judgement ?? ""];
    const scene = this.match.scenes.get(ply);
    const last = lastMove(this.match.scenes.get(ply - 1), scene);
    if (sign && last?.to) board?.sign({ cell: last.to, text: sign[0], kind: sign[1] });
    const lines = shares(this.#judged, state.seats.length);
    const now = lines.map((line) => line.findLast(([at]) => at <= ply)?.[1] ?? 1 / state.seats.length);
    // Between two one line is enough; of more, each was looked at when it moved, and together they are one win.
    const all = now.length === 1 ? [now[0], 1 - now[0]] : now.map((share) => share / (now.reduce((sum, one) => sum + one, 0) || 1));
    this.#bar(all, played?.proven ?? false);
  }

  /** The move that decided the match, beside the better one. */
  async #moment() {
    const box = part(this.match, "decisive");
    const judged = this.#judged.find(({ ply }) => ply === this.#decisive);
    const { state, board } = this.match;
    if (!box || !judged || !state || !board) return;
    const scenes = await this.#scenesAt(judged.ply - 1);
    const before = scenes.get(judged.ply - 1);
    if (!before) return;
    const find = (/** @type {string} */ id) => before.moves.find((move) => move.id === id);
    const figure = (/** @type {Move | undefined} */ move, /** @type {string} */ kind, /** @type {Node[]} */ ...caption) =>
      make("figure", "", board.copy(before, move ? [{ ...move, kind }] : []), make("figcaption", "", ...caption));
    const mark = SIGNS[judged.judgement ?? ""] ?? ["?", "bad", ""];
    const figures = [figure(find(judged.move), "bad", make("span", `mk ${mark[1]}`, mark[0]), document.createTextNode(` played ${judged.move}`))];
    const isBest = judged.best === judged.move;
    if (!isBest) figures.push(figure(find(judged.best), "best", make("span", "mk good", "!"), document.createTextNode(` better ${judged.best}`)));
    const who = state.seats[judged.seat].name;
    const stood = (/** @type {number} */ share) => (share > 0.99 ? "won" : share < 0.01 ? "lost" : "even");
    const chances = judged.proven
      ? `Before it the game was ${stood(judged.before)} for ${who}, after it ${stood(judged.after)}; that is proved.`
      : `Before it ${who} had ${percent(judged.before, false)}, after it ${percent(judged.after, false)}.`;
    const on = button("Play on from here", "play_on", "btn sm");
    on.dataset.at = String(judged.ply - 1);
    const title = make("b", "", isBest ? `After ${judged.move} nothing changed the result.` : `${judged.move} gave the game away.`);
    box.replaceChildren(
      make("div", "row between", make("h2", "", "The decisive moment"), make("span", "chip bad", `move ${judged.ply}`)),
      make("p", "", title, ` ${chances}`), make("div", "twos", ...figures), make("div", "row", button("Show it", "decisive", "btn sm"), on));
    box.hidden = false;
  }

  /** Scenes with their legal moves. @param {number} ply @returns {Promise<Map<number, Scene>>} */
  async #scenesAt(ply) {
    const answer = await fetch(`/api/v1/matches/${this.match.state?.id}/scenes?from=${ply}&to=${ply}&moves=1`).catch(() => null);
    const { scenes } = answer?.ok ? await answer.json() : { scenes: [] };
    return new Map(scenes.map((/** @type {{ply: number, scene: Scene}} */ item) => [item.ply, item.scene]));
  }

  /** What the server's page says of the end of a match. */
  async #evidence() {
    this.#hasEvidence = true;
    const answer = await fetch(location.pathname).catch(() => null);
    const page = new DOMParser().parseFromString((await answer?.text()) ?? "", "text/html");
    const shown = page.querySelector('[data-part="evidence"]');
    if (shown) part(this.match, "evidence")?.replaceChildren(...shown.children);
  }

  /** Asks for the best moves of the position, once it is looked at for a moment. */
  async #analyse() {
    const { match } = this;
    const isOn = /** @type {HTMLInputElement | null} */ (part(match, "analyse"))?.checked;
    const ply = match.ply;
    if (!isOn || ply === this.#searched) {
      if (!isOn && this.#searched >= 0) this.#stopSearch();
      return;
    }
    this.#search?.abort();
    const search = new AbortController();
    [this.#search, this.#searched] = [search, ply];
    this.#expect(0);
    if (match.isNewest && match.state?.over?.cause === "normal") return write(part(match, "searched"), "The game is over here. Step back to see what was best.");
    this.#expect(LINES);
    write(part(match, "searched"), "Looking for the best moves.");
    await wait(this.#playing ? 0 : REST);
    if (search.signal.aborted || this.#playing) return;
    try {
      const [answer, scenes] = await Promise.all([fetch(`/api/v1/matches/${match.state?.id}/analysis?ply=${ply}`, { signal: search.signal }), this.#scenesAt(ply)]);
      if (!answer.ok || !answer.body) throw new Error((await answer.json()).error?.message);
      await this.#stream(answer.body, scenes.get(ply)?.moves ?? [], search.signal);
    } catch (error) {
      if (search.signal.aborted) return;
      this.#expect(0);
      write(part(match, "searched"), /** @type {Error} */ (error).message ?? "Best moves are not there at the moment.");
    }
  }

  /** Keeps the place of lines that are to come. @param {number} n */
  #expect(n) {
    part(this.match, "lines")?.replaceChildren(...Array.from({ length: n }, () => make("li", "pv ghost", make("span", "rk-n"), make("span", "grow"))));
  }

  #stopSearch() {
    this.#search?.abort();
    this.#searched = -1;
    this.#expect(0);
    write(part(this.match, "searched"), "");
    this.match.board?.point([]);
  }

  /** @param {ReadableStream<Uint8Array>} body @param {Move[]} legal @param {AbortSignal} signal */
  async #stream(body, legal, signal) {
    const [reader, decoder] = [body.getReader(), new TextDecoder()];
    let [rest, ordered] = ["", 0];
    /** @type {string[]} */
    let order = [];
    for (;;) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) return;
      const parts = (rest + decoder.decode(value, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      const last = parts.findLast(Boolean);
      if (!last) continue;
      const told = JSON.parse(last);
      const now = performance.now();
      if (told.done || now - ordered > REORDER) {
        ordered = now;
        order = told.lines.map((/** @type {Line} */ line) => line.moves[0]);
      }
      const place = (/** @type {Line} */ line) => (order.indexOf(line.moves[0]) + 1 || 99);
      this.#lines([...told.lines].sort((a, b) => place(a) - place(b)), legal, told);
    }
  }

  /** @param {Line[]} lines @param {Move[]} legal @param {{done: boolean, nodes: number, playouts: number}} told */
  #lines(lines, legal, { done, nodes, playouts }) {
    const shown = lines.slice(0, LINES);
    part(this.match, "lines")?.replaceChildren(...shown.map((line, idx) => make("li", "pv", make("span", "rk-n", String(idx + 1)),
      make("span", "grow", make("b", "", line.moves[0]), " ", make("span", "dim mono", line.moves.slice(1, 6).join(" "))),
      make("span", line.proven ? (line.value > 0.99 ? "chip-win" : "dim tiny") : "num", percent(line.value, line.proven)))));
    const tried = nodes || playouts;
    const why = lines[0]?.reason ?? "";
    const reason = why ? `${why[0].toUpperCase()}${why.slice(1)}. ` : "";
    write(part(this.match, "searched"), lines.length ? `${reason}${tried.toLocaleString("en")} ${nodes ? "positions" : "games"} tried${done ? "." : " so far."}` : "There is nothing to move here.");
    this.match.board?.point(shown.flatMap((line, idx) => {
      const move = legal.find(({ id }) => id === line.moves[0]);
      return move ? [{ ...move, kind: idx ? "second" : "best", rank: String(idx + 1) }] : [];
    }).reverse());
  }

  /** A new match from this position. @param {number} ply */
  #playOn(ply) {
    const form = /** @type {HTMLFormElement} */ (make("form", ""));
    [form.method, form.action] = ["post", `/m/${this.match.state?.id}/on`];
    const input = document.createElement("input");
    [input.name, input.value] = ["ply", String(ply)];
    form.append(input);
    document.body.append(form);
    form.submit();
  }
}
