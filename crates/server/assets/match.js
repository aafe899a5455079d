// rk-match: one match, to play, to watch and to look at again. It alone talks to the server.
// @ts-check
import { ask } from "./ask.js";
import "./board.js";
import { copy } from "./copy.js";
import { lastMove, nextShown, toYou } from "./moves.js";
import { button, keepAway, listChat, listMoves, make, markMove, overdue, part, showActions, showClocks, showOver, showSeats, write } from "./panel.js";
import { Replay } from "./replay.js";
import { choose, setting } from "./settings.js";
import { Live } from "./socket.js";
import { knock } from "./sound.js";

/**
 * @import { Board } from "./board.js"
 * @import { Scene } from "./moves.js"
 * @import { State } from "./panel.js"
 */

/** The least time between two positions, so that every move is seen. */
const PACE = 400;
const LOW = [60, 30, 10];
/** How long whoever wants to keep waiting is not asked again. */
const PATIENCE = 60_000;
const wait = (/** @type {number} */ ms) => new Promise((done) => setTimeout(done, ms));

export class Match extends HTMLElement {
  /** @type {State | null} */ #state = null;
  /** @type {Map<number, Scene>} */ #scenes = new Map();
  /** The ply that is looked at; null is the newest. @type {number | null} */ #view = null;
  /** The newest ply that was shown. */ #seen = -1;
  #seenAt = 0;
  /** Counts how often positions were forgotten: what was asked for before is of no use. */ #age = 0;
  #isCatchingUp = false;
  /** @type {Live | null} */ #live = null;
  /** @type {Replay | null} */ #replay = null;
  #since = 0;
  #isResigning = false;
  #isOffering = false;
  /** Until when somebody is waited for who is away for too long. */ #patientUntil = 0;
  #awayShown = 0;
  #isSending = false;
  #problem = "";
  #title = document.title;
  #told = "";
  #retry = 0;
  #retryAt = 0;
  /** @type {Set<number>} */ #low = new Set();
  /** @type {Set<number>} */ #muted = new Set();
  #read = -1;
  #hints = /** @type {{moves: string[], reason: string, worth: string}[]} */ ([]);
  #hinted = 0;

  connectedCallback() {
    if (this.board) return;
    this.board = /** @type {Board} */ (this.querySelector("rk-board"));
    if (this.querySelector('[data-part="scrub"]')) this.#replay = new Replay(this);
    this.addEventListener("rk-move", (event) => this.#move(/** @type {CustomEvent} */ (event).detail.id));
    this.addEventListener("click", (event) => this.#click(event));
    this.addEventListener("submit", (event) => this.#submit(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    this.#sound(setting("sound") === "on");
    setInterval(() => this.#tick(), 250);
    const id = this.getAttribute("match");
    // A record from a file has no match behind it.
    if (!id) return;
    this.#live = new Live(this.getAttribute("src") ?? "", () => ({ watch: { match: id, since: null, eval: Boolean(this.#replay) } }));
    this.#live.addEventListener("state", (event) => this.#connection(/** @type {CustomEvent} */ (event).detail));
    this.#live.addEventListener("message", (event) => this.#heard(/** @type {CustomEvent} */ (event).detail));
  }

  get state() {
    return this.#state;
  }

  get scenes() {
    return this.#scenes;
  }

  /** The ply that is looked at. */
  get ply() {
    return this.#view ?? Math.max(this.#seen, 0);
  }

  get isNewest() {
    return this.#view === null && this.#seen === this.#state?.ply;
  }

  /** Shows a match that is all here: a record. @param {{state: State, scenes: {ply: number, scene: Scene}[]}} record */
  open({ state, scenes }) {
    this.#state = state;
    for (const { ply, scene } of scenes) this.#scenes.set(ply, scene);
    this.#seen = state.ply;
    this.#show();
  }

  /** @param {{state: string, wait?: number}} news */
  #connection({ state, wait: until }) {
    const sign = part(this, "connection");
    const live = state === "live";
    if (sign) {
      sign.className = live ? "live good" : "live warn";
      sign.textContent = live ? "Connected" : state === "offline" ? "Offline" : "Trying again";
    }
    this.classList.toggle("away", !live);
    this.#retryAt = live ? 0 : performance.now() + (until ?? 0);
    this.#retry = live ? 0 : 1;
    if (live) this.#problem = "";
    this.#tick();
    // Who has no connection looks; the board takes moves again when it is back.
    this.#show();
  }

  /** @param {any} message */
  #heard(message) {
    const id = this.getAttribute("match");
    if (message.hint?.match === id) return this.#hear(message.hint);
    if (message.eval?.match === id) return this.#replay?.live(message.eval);
    if (message.match !== id) return;
    if (message.error) {
      this.#problem = message.error.message;
      write(part(this, "status"), this.#problem);
    } else if (message.snapshot) this.#whole(message.snapshot);
    else if (this.#state) this.#news(message);
  }

  /** @param {State} state */
  #whole(state) {
    const first = !this.#state;
    const before = this.#state;
    this.#state = state;
    this.#since = performance.now();
    state.seats.forEach(keepAway);
    // Moves may have been taken back and others made meanwhile, so that no position of before is known to stand.
    if (before) {
      this.#scenes.clear();
      this.#age += 1;
    }
    this.#scenes.set(state.ply, state.scene);
    for (const plain of this.querySelectorAll("[data-plain]")) plain.remove();
    const waiting = part(this, "waiting");
    if (waiting) waiting.hidden = !state.waiting.length;
    const asked = Number(location.hash.slice(1) || (new URLSearchParams(location.search).get("ply") ?? NaN));
    if (first || this.#seen > state.ply) [this.#seen, this.#seenAt] = [state.ply, performance.now()];
    if (this.#view !== null && this.#view >= state.ply) this.#view = null;
    // What led here is seen only beside what was before.
    if (state.ply > 0) this.#fetch(state.ply - 1).then(() => this.#show());
    if (this.#view !== null) this.#fetch(this.#view).then(() => this.#show());
    if (first && Number.isInteger(asked) && asked < state.ply && asked >= 0) this.goto(asked);
    else this.#catchUp();
  }

  /** @param {any} message */
  #news({ news, scene, asked, clocks_ms, offer, can, version }) {
    const state = /** @type {State} */ (this.#state);
    if (news.some((/** @type {any} */ item) => item.taken_back)) {
      // Entries and positions are others now.
      this.#live?.send({ watch: { match: state.id, since: null, eval: true } });
      return;
    }
    for (const item of news) {
      if (item.entry) state.entries[item.entry.n] = item.entry;
      if (item.over) {
        state.over = item.over;
        // How it ended, and what can be done next, is not to lie under a sheet or the rest of the actions.
        delete this.dataset.sheet;
        this.#more(false);
      }
      if (item.suspended) state.suspended = true;
      const seat = item.presence && state.seats[item.presence.seat];
      if (seat) {
        [seat.online, seat.back_ms] = [item.presence.online, item.presence.back_ms];
        keepAway(seat);
      }
      if (item.rematch) state.rematch = item.rematch.match;
      if (item.entry?.kind === "resigned" && item.entry.seat !== null) state.seats[item.entry.seat].out = true;
    }
    Object.assign(state, { asked, clocks_ms, offer, can, version });
    this.#since = performance.now();
    const before = state.ply;
    state.ply = state.entries.reduce((most, entry) => (entry?.kind === "moved" ? Math.max(most, entry.ply) : most), 0);
    if (scene) {
      state.scene = scene;
      this.#scenes.set(state.ply, scene);
    }
    if (state.ply !== before) {
      this.#problem = "";
      this.#unhint();
    }
    this.#catchUp();
  }

  /** Shows what has happened since, one position after the other. */
  async #catchUp() {
    this.#show();
    if (this.#isCatchingUp) return;
    this.#isCatchingUp = true;
    while (this.#state && this.#view === null && this.#seen < this.#state.ply) {
      const state = this.#state;
      const next = nextShown(state.entries, this.#seen, state.ply);
      await this.#fetch(next);
      const mine = state.entries.find((entry) => entry?.kind === "moved" && entry.ply === next)?.seat === state.you;
      const left = PACE - (performance.now() - this.#seenAt);
      if (!mine && left > 0 && !document.hidden) await wait(left);
      if (this.#state !== state || next > state.ply) continue;
      [this.#seen, this.#seenAt] = [next, performance.now()];
      this.#show();
      knock();
    }
    this.#isCatchingUp = false;
  }

  /** @param {number} ply */
  async #fetch(ply) {
    const id = this.#state?.id;
    if (this.#scenes.has(ply) || !id) return;
    const [moves, age] = [this.#state?.over ? "&moves=1" : "", this.#age];
    const answer = await fetch(`/api/v1/matches/${id}/scenes?from=${Math.max(0, ply - 20)}&to=${ply + 40}${moves}`).catch(() => null);
    if (!answer?.ok) return;
    const { scenes } = await answer.json();
    if (age !== this.#age) return;
    for (const { ply: at, scene } of scenes) if (!this.#scenes.has(at)) this.#scenes.set(at, scene);
  }

  /** Looks at the position after so many moves. @param {number} ply */
  async goto(ply) {
    if (!this.#state) return;
    const most = this.#state.ply;
    const wanted = Math.min(Math.max(ply, 0), most);
    this.#view = wanted === most ? null : wanted;
    if (this.#view === null) this.#seen = most;
    await this.#fetch(wanted);
    if (wanted > 0) await this.#fetch(wanted - 1);
    if (this.ply === wanted) this.#show();
    const address = new URL(location.href);
    address.hash = this.#view === null ? "" : String(wanted);
    address.search = "";
    history.replaceState(null, "", address);
  }

  #show() {
    const state = this.#state;
    if (!state || !this.board) return;
    const ply = this.ply;
    const scene = this.isNewest ? state.scene : this.#scenes.get(ply);
    if (scene) {
      this.board.setAttribute("mode", this.isNewest && state.can.move && !this.#retry ? "play" : "watch");
      const last = ply > 0 ? lastMove(this.#scenes.get(ply - 1), scene) : null;
      const key = `${ply} ${Boolean(last)} ${state.can.move} ${this.isNewest} ${this.#retry}`;
      // A word in the chat does not take the piece out of a hand.
      if (this.board.scene !== scene || this.board.dataset.key !== key) {
        this.board.dataset.key = key;
        this.board.show(scene, last, state.you);
      }
    }
    this.#status(scene);
    if (!part(this, "seats")) return;
    showSeats(this, state, scene, ply, this.#replay?.accuracy ?? []);
    showClocks(this, state, this.#since);
    const list = part(this, "moves");
    if (list) {
      listMoves(list, state, this.#replay?.marks ?? new Map());
      markMove(list, ply);
    }
    this.#chat();
    showActions(this, state);
    this.#question();
    showOver(this, state);
    const viewers = part(this, "viewers");
    if (viewers) {
      viewers.hidden = state.viewers === 0;
      write(viewers.querySelector("span"), String(state.viewers));
      viewers.title = `${state.viewers} watching`;
    }
    this.#replay?.show();
    this.dispatchEvent(new CustomEvent("rk-state", { bubbles: true }));
  }

  /** Draws everything again: something that is shown has become known. */
  refresh() {
    this.#show();
  }

  /** @param {Scene | undefined} scene */
  #status(scene) {
    const state = /** @type {State} */ (this.#state);
    const mine = !state.over && state.asked !== null && state.asked.seat === state.you;
    const status = part(this, "status");
    const text = this.#problem || this.#sentence(scene, mine);
    write(status, text);
    status?.classList.toggle("turn", mine && this.#view === null);
    status?.classList.toggle("bad", Boolean(this.#problem));
    document.title = mine ? `• Your turn · ${this.#title}` : this.#title;
    if (this.#view === null && this.#seen === state.ply) this.#tell(text);
  }

  /** @param {Scene | undefined} scene @param {boolean} mine */
  #sentence(scene, mine) {
    const state = /** @type {State} */ (this.#state);
    if (this.#view !== null) return `After move ${this.#view} of ${state.ply}.`;
    if (state.over) return state.over.sentence;
    if (state.waiting.length && state.tournament) return `Waiting for ${state.waiting.map((seat) => state.seats[seat].name).join(" and ")}. Anyone not here within three minutes loses.`;
    if (state.waiting.length) return "Waiting for your friend.";
    if (state.suspended) return state.note ?? "Paused. It goes on when the server is back.";
    if (this.#isSending || this.#seen !== state.ply) return "A moment.";
    const note = state.note ? `${state.note} ` : "";
    if (!mine) return state.asked ? `${note}${state.seats[state.asked.seat].name} is to move.` : (state.note ?? "A moment.");
    const said = scene?.captions.find((caption) => caption.place === "status")?.text ?? "";
    const more = toYou(said, state.seats[state.you ?? 0].label);
    const moves = scene?.moves ?? [];
    const what = moves.some((move) => move.from && move.to) ? "Choose a piece." : moves.some((move) => move.to) ? "Choose a place." : "Choose below.";
    return `Your turn. ${more && !more.endsWith("to move") ? more : what}`;
  }

  /** Says once what happened last, and what is to be done. @param {string} text */
  #tell(text) {
    const state = /** @type {State} */ (this.#state);
    const last = state.entries.findLast((entry) => entry?.kind === "moved");
    const who = last && last.seat !== null && last.seat !== state.you ? `${state.seats[last.seat].name}: ${last.text}. ` : "";
    const told = who + text;
    if (told === this.#told) return;
    this.#told = told;
    write(part(this, "told"), told);
  }

  #tick() {
    const state = this.#state;
    const note = part(this, "away");
    if (note) {
      const left = Math.ceil((this.#retryAt - performance.now()) / 1000);
      const clock = state?.suspended ? " Your game goes on when the server is back." : ` Your moves are safe${state?.clocks_ms.length ? "; the clock runs on" : ""}.`;
      note.hidden = this.#retry === 0;
      const now = part(this, "now");
      if (now) now.hidden = !navigator.onLine || left <= 0;
      if (this.#retry) write(note.querySelector("span"), navigator.onLine ? `Connection lost. Trying again ${left > 0 ? `in ${left} s` : "now"}.${clock}` : "You are offline. Looking works, moving does not.");
    }
    if (!state) return;
    if (!state.over && performance.now() - this.#awayShown > 1000 && state.seats.some((seat) => seat.backAt !== undefined)) {
      this.#awayShown = performance.now();
      this.#show();
    }
    const own = showClocks(this, state, this.#since);
    if (own === null) return this.#low.clear();
    const under = LOW.findLast((seconds) => own < 1000 * seconds);
    if (under === undefined || this.#low.has(under)) return;
    this.#low.add(under);
    write(part(this, under === 10 ? "urgent" : "told"), `${under} seconds left.`);
    this.dispatchEvent(new CustomEvent("rk-low", { bubbles: true, detail: { seconds: under } }));
  }

  #chat() {
    const state = /** @type {State} */ (this.#state);
    const n = listChat(this, state, this.#muted);
    const isOpen = part(this, "chat")?.closest(".pane")?.hasAttribute("hidden") === false;
    if (this.#read < 0 || isOpen) this.#read = n;
    // At the tab, and on phones below.
    for (const sign of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll('[data-part="unread"]'))) {
      sign.hidden = n <= this.#read;
      write(sign, String(n - this.#read));
    }
  }

  /** What is asked in place of the row of actions. */
  #question() {
    const state = /** @type {State} */ (this.#state);
    const { offer, seats, you, over, can } = state;
    const late = performance.now() < this.#patientUntil ? null : overdue(state);
    const [box, row] = [part(this, "question"), part(this, "actions")];
    if (!box || !row) return;
    /** @type {Node[]} */
    let parts = [];
    if (over || you === null) [this.#isResigning, this.#isOffering] = [false, false];
    else if (offer && offer.by !== you && offer.waits_for.includes(you)) {
      const what = offer.kind === "draw" ? "offers a draw" : "wants to take moves back";
      parts = [make("p", "", `${seats[offer.by].name} ${what}.`), button("Agree", "accept", "btn primary"), button("No", "refuse")];
    } else if (offer && offer.by === you) parts = [make("p", "", "You have asked; the others have not answered yet.")];
    else if (this.#isResigning && can.resign) {
      parts = [make("p", "", "Give this game up?"), button("Keep playing", "keep"), button("Resign", "resign", "btn danger")];
    }
    else if (this.#isOffering && can.draw) {
      parts = [make("p", "", "Offer a draw?"), button("Keep playing", "unoffer"), button("Offer a draw", "offer_draw", "btn primary")];
    }
    else if (late) {
      parts = [make("p", "", `${late.name} has not come back.`), button("Keep waiting", "wait"), button("End the game", "end", "btn danger")];
    }
    const key = parts.map((made) => made.textContent).join();
    row.hidden = parts.length > 0;
    box.hidden = !parts.length;
    if (box.dataset.key === key) return;
    box.dataset.key = key;
    box.replaceChildren(...parts);
    if (this.#isResigning || this.#isOffering) box.querySelector("button")?.focus();
  }

  /** @param {object} what */
  async #do(what) {
    const error = (await this.#live?.act(this.#state?.id ?? "", what)) ?? null;
    this.#problem = error ?? "";
    return error;
  }

  /** @param {string} text */
  async #move(text) {
    if (this.#isSending || !this.#state?.can.move) return;
    this.#isSending = true;
    const ply = this.#state.ply;
    await this.#do({ move: { ply, text } });
    this.#isSending = false;
    this.#show();
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const link = /** @type {HTMLElement | null} */ (target.closest("a[data-ply]"));
    if (link && this.#state && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      this.#replay?.play(false);
      this.goto(Number(link.dataset.ply));
    }
    const acting = /** @type {HTMLElement | null} */ (target.closest("[data-act]"));
    if (acting?.dataset.act && (this.#state || acting.dataset.act === "now")) this.#act(acting.dataset.act, acting);
  }

  /** @param {string} act @param {HTMLElement} by */
  async #act(act, by) {
    if (this.#replay?.act(act, by)) return;
    const state = /** @type {State} */ (this.#state);
    /** @type {Record<string, () => unknown>} */
    const acts = {
      hint: () => this.#askHint(),
      unhint: () => this.#unhint(),
      take_back: () => this.#do({ take_back: { to: state.can.take_back } }),
      draw: () => (this.#isOffering = true),
      offer_draw: () => ((this.#isOffering = false), this.#do({ offer_draw: {} })),
      unoffer: () => this.#unoffer(),
      accept: () => this.#do({ answer: { accept: true } }),
      refuse: () => this.#do({ answer: { accept: false } }),
      ask_resign: () => (this.#isResigning = true),
      keep: () => this.#keep(),
      resign: () => this.#do({ resign: {} }),
      wait: () => (this.#patientUntil = performance.now() + PATIENCE),
      end: () => this.#do({ end: {} }),
      rematch: () => this.#rematch(),
      flip: () => this.board?.flip(),
      sound: () => this.#sound(by.ariaPressed !== "true", true),
      share: () => this.#share(by),
      mute: () => this.#muted.add(Number(by.dataset.of)),
      now: () => this.#live?.now(),
      more: () => this.#more(!this.classList.contains("more")),
    };
    if (["moves", "chat", "details"].includes(act)) this.#tab(act);
    else if (act.startsWith("sheet_")) this.#sheet(act.slice(6));
    else await acts[act]?.();
    if (act !== "hint") this.#show();
  }

  #keep() {
    this.#isResigning = false;
    this.#show();
    /** @type {HTMLElement | null} */ (this.querySelector('[data-act="ask_resign"]'))?.focus();
  }

  #unoffer() {
    this.#isOffering = false;
    this.#show();
    /** @type {HTMLElement | null} */ (this.querySelector('[data-act="draw"]'))?.focus();
  }

  /** @param {string} name */
  #tab(name) {
    for (const tab of this.querySelectorAll('[role="tab"]')) {
      const isIt = tab.id === `tab-${name}`;
      tab.ariaSelected = String(isIt);
      const pane = this.querySelector(`#${tab.getAttribute("aria-controls")}`);
      pane?.toggleAttribute("hidden", !isIt);
    }
    this.#chat();
  }

  /** On phones some actions are behind a button. @param {boolean} isOpen */
  #more(isOpen) {
    this.classList.toggle("more", isOpen);
    const by = this.querySelector('[data-act="more"]');
    if (by) by.ariaExpanded = String(isOpen);
    if (isOpen) delete this.dataset.sheet;
  }

  /** On phones the panel is a sheet. @param {string} name */
  #sheet(name) {
    const isOpen = this.dataset.sheet === name;
    this.#more(false);
    if (isOpen) delete this.dataset.sheet;
    else this.dataset.sheet = name;
    if (!isOpen) this.#tab(name);
  }

  /** @param {boolean} isOn */
  #sound(isOn, isChosen = false) {
    // Above the board, and on phones below it.
    for (const sign of this.querySelectorAll('[data-act="sound"]')) sign.ariaPressed = String(isOn);
    if (isChosen) choose("sound", isOn ? "on" : "off");
  }

  /** @param {HTMLElement} by */
  async #share(by) {
    const isCopied = await copy(location.href);
    write(part(this, "told"), isCopied ? "The link was copied." : "The link could not be copied; take it from the address bar.");
    if (!isCopied) return;
    by.classList.add("done");
    setTimeout(() => by.classList.remove("done"), 1500);
  }

  async #rematch() {
    try {
      location.assign((await ask(`/api/v1/matches/${this.#state?.id}/rematch`, { method: "POST" })).url);
    } catch (error) {
      this.#problem = /** @type {Error} */ (error).message;
    }
  }

  /** The best move; asked again, the next best. */
  #askHint() {
    if (this.#hints.length && this.#hinted + 1 < this.#hints.length) {
      this.#hinted += 1;
      return this.#showHint();
    }
    this.#hinted = 0;
    return this.#do({ hint: {} });
  }

  #unhint() {
    [this.#hints, this.#hinted] = [[], 0];
    const note = part(this, "hint");
    if (note && !note.hidden) this.board?.hint(null);
    if (note) note.hidden = true;
  }

  /** @param {{ply: number, lines: {moves: string[], reason: string, worth: string}[]}} hint */
  #hear({ ply, lines }) {
    if (!lines.length || ply !== this.#state?.ply || !this.isNewest || !this.#state.can.move) return;
    this.#hints = lines;
    this.#showHint();
  }

  #showHint() {
    const line = this.#hints[Math.min(this.#hinted, this.#hints.length - 1)];
    const note = part(this, "hint");
    if (!line || !note) return;
    const move = this.#state?.scene.moves.find((legal) => legal.id === line.moves[0]);
    if (move) this.board?.hint(move);
    note.hidden = false;
    const best = this.#hinted ? "is the next best" : "looks best";
    const why = [line.worth, line.reason].filter(Boolean).join("; ");
    const answer = line.moves[1] ? ` The likely answer is ${line.moves[1]}.` : "";
    note.querySelector("p")?.replaceChildren(make("b", "", move?.label ?? line.moves[0]), ` ${best}${why ? `: ${why}` : ""}.${answer}`);
    write(part(this, "told"), note.textContent?.trim() ?? "");
  }

  /** @param {SubmitEvent} event */
  async #submit(event) {
    const form = /** @type {HTMLFormElement} */ (event.target);
    const input = form.querySelector("input");
    if (!form.matches('[data-part="say"], [data-part="typed"]') || !input) return;
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    if (form.dataset.part === "typed") {
      const known = this.#state?.scene.moves.find((move) => [move.id, move.label].some((name) => name.toLowerCase() === text.toLowerCase()));
      await this.#move(known?.id ?? text);
    } else await this.#do({ say: { text } });
    if (!this.#problem) input.value = "";
    this.#show();
  }

  #legal() {
    const sheet = /** @type {HTMLDialogElement | null} */ (part(this, "legal"));
    const moves = this.board?.getAttribute("mode") === "play" ? (this.#state?.scene.moves ?? []) : [];
    const buttons = moves.map((move) => {
      const made = button(move.label, "", "btn sm");
      made.addEventListener("click", () => (sheet?.close(), this.#move(move.id)));
      return made;
    });
    sheet?.querySelector(".row")?.replaceChildren(...(buttons.length ? buttons : ["No legal move here."]));
    sheet?.showModal();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || !this.#state || document.querySelector("dialog[open]")) return;
    if (target.closest("input:not([type=range]), select, textarea")) return;
    const onBoard = this.board?.contains(target) ?? false;
    const isFree = onBoard || target === document.body;
    const [isLetter, hasLetters] = [event.key.length === 1 && event.key !== " ", setting("keys") !== "off"];
    const click = (/** @type {string} */ act) => /** @type {HTMLElement | null} */ (this.querySelector(`[data-act="${act}"]:enabled:not([hidden])`))?.click();
    /** @type {Record<string, () => unknown>} */
    const keys = {
      h: () => click("hint"),
      u: () => click("take_back"),
      R: () => click("ask_resign"),
      f: () => this.board?.flip(),
      m: () => this.#legal(),
      c: () => (this.#tab("chat"), /** @type {HTMLElement | null} */ (this.querySelector('[data-part="say"] input'))?.focus()),
      "/": () => /** @type {HTMLElement | null} */ (this.querySelector('[data-part="typed"] input'))?.focus(),
      "?": () => /** @type {HTMLDialogElement | null} */ (part(this, "keys"))?.showModal(),
    };
    const { offer, you } = this.#state;
    if (event.key === "Escape" && this.#isResigning) this.#keep();
    else if (event.key === "Escape" && this.#isOffering) this.#unoffer();
    else if (event.key === "Escape" && you !== null && offer?.waits_for.includes(you)) click("refuse");
    else if (event.key === "Escape" && this.dataset.sheet) this.#sheet(this.dataset.sheet);
    else if (isFree && event.key in keys && hasLetters) keys[event.key]();
    else if ((isLetter ? isFree && hasLetters : !onBoard) && this.#replay?.key(event)) {
      // It was one of the keys for looking again.
    } else return;
    event.preventDefault();
  }
}

customElements.define("rk-match", Match);
