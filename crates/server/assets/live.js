// rk-live: boards of running matches that go on by themselves, as far as they are seen.
// @ts-check
import "./board.js";
import { lastMove, time } from "./moves.js";
import { make, part, write } from "./panel.js";
import { Live } from "./socket.js";

/**
 * @import { Board } from "./board.js"
 * @import { Scene } from "./moves.js"
 * @typedef {{id: string, title: string, seats: {name: string, kind: string}[], ply: number, viewers: number,
 *   over: string | null, turn: number | null, clocks_ms: number[], tournament: string | null, scene: Scene, heard: number}} Card
 */

/** How long a match that is over keeps its place. */
const KEPT_MS = 10_000;
/** How often clocks are written again, and under how much they warn. */
const [TICK_MS, LOW_MS] = [500, 10_000];
/** How long the page waits to say which boards are in view: who scrolls passes many. */
const SETTLE_MS = 500;
/** How long a match waits that found no place in the list, or could not be fetched: the server offers it once. */
const AGAIN_MS = 10_000;
/** The most boards of one list. */
const MOST = 64;

class LiveBoards extends HTMLElement {
  /** @type {Map<string, Card>} */ #news = new Map();
  /** @type {Set<Element>} */ #seen = new Set();
  /** @type {Live | null} */ #live = null;
  /** The clocks of a board, and since when they are known. @type {Map<Element, {left: number[], turn: number | null, since: number}>} */ #clocks = new Map();
  /** Matches on their way into the list, or that are to try again: what is new of them waits. @type {Set<string>} */ #joining = new Set();
  #isSettling = false;

  connectedCallback() {
    if (this.#live) return;
    const watcher = new IntersectionObserver((changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) this.#seen.add(target);
        else this.#seen.delete(target);
      }
      // Nobody is asked for boards that are not looked at.
      if (this.#seen.size) this.#open();
      this.#settle();
      this.#draw();
    });
    this.watcher = watcher;
    for (const card of this.querySelectorAll("[data-match]")) watcher.observe(card);
    watcher.observe(this);
  }

  #open() {
    if (this.#live) return;
    this.#live = new Live(this.getAttribute("src") ?? "", () => this.#wish());
    document.addEventListener("visibilitychange", () => this.#live?.send(this.#wish()));
    this.#live.addEventListener("message", (event) => {
      const { lobby, lobby_changed } = /** @type {CustomEvent} */ (event).detail;
      for (const card of lobby ?? lobby_changed ?? []) this.#news.set(card.id, { ...card, heard: performance.now() });
      this.#draw();
    });
    setInterval(() => this.#tick(), TICK_MS);
  }

  /** The boards that the page wants to be told of: those in view, and new ones if the list grows. */
  #wish() {
    if (document.hidden) return { lobby: false };
    const ids = [...this.#seen].map((shown) => shown.getAttribute("data-match")).filter((id) => id !== null);
    const of = (/** @type {string} */ name) => this.getAttribute(name) ?? undefined;
    const limit = this.hasAttribute("grows") ? MOST : 0;
    return { lobby: { matches: ids.slice(0, MOST), game: of("game"), who: of("who"), tournament: of("cup"), limit } };
  }

  /** Says soon which boards are in view now. */
  #settle() {
    if (this.#isSettling) return;
    this.#isSettling = true;
    setTimeout(() => {
      this.#isSettling = false;
      this.#live?.send(this.#wish());
    }, SETTLE_MS);
  }

  /** Says that there is nothing to see, as long as that is so. */
  #quiet() {
    const quiet = part(this, "nothing");
    if (quiet) quiet.hidden = this.querySelector("[data-match]") !== null;
  }

  /** @param {Element} shown @param {Card} card */
  #time(shown, { clocks_ms, turn, over, heard }) {
    this.#clocks.set(shown, { left: clocks_ms, turn: over ? null : turn, since: heard });
    this.#tick();
  }

  /** The clock of whoever is to move runs, as far as it is seen. */
  #tick() {
    for (const [shown, { left, turn, since }] of this.#clocks) {
      if (!this.#seen.has(shown)) continue;
      shown.querySelectorAll(".clock").forEach((clock, seat) => {
        const ms = seat === turn ? left[seat] - (performance.now() - since) : left[seat];
        write(clock, time(ms));
        clock.classList.toggle("low", seat === turn && ms < LOW_MS);
      });
    }
  }

  #draw() {
    for (const [id, card] of this.#news) {
      const shown = this.querySelector(`[data-match="${CSS.escape(id)}"]`);
      // What is over leaves the list, also out of view.
      if (this.#joining.has(id) || (shown && !this.#seen.has(shown) && !card.over)) continue;
      this.#news.delete(id);
      if (shown) this.#show(shown, card);
      else if (!card.over) this.#join(card);
    }
  }

  /** @param {Element} shown @param {Card} card */
  #show(shown, card) {
    const { scene, over, ply, viewers, turn } = card;
    const board = /** @type {Board | null} */ (shown.querySelector("rk-board"));
    // What the server has drawn stays until something happens.
    const isSame = Number(/** @type {HTMLElement} */ (shown).dataset.ply) === ply;
    /** @type {HTMLElement} */ (shown).dataset.ply = String(ply);
    if (!isSame) board?.show(scene, lastMove(board.scene, scene));
    else if (!board?.scene) board?.expect(scene);
    const sign = shown.querySelector(".live");
    if (sign && over) sign.replaceWith(make("span", "chip good", "Over"));
    else write(sign, `Live, move ${ply}`);
    write(shown.querySelector(".viewers span"), String(viewers));
    shown.querySelectorAll("[data-seat]").forEach((row, seat) => {
      row.classList.toggle("turn", !over && turn === seat);
      const caption = scene.captions.find(({ place }) => place !== "status" && place.seat === seat);
      write(row.querySelector(".score"), caption?.text.split(": ").at(-1) ?? "");
    });
    this.#time(shown, card);
    if (!over) return;
    write(shown.querySelector(".result"), over);
    if (this.hasAttribute("grows")) setTimeout(() => this.#leave(shown), KEPT_MS);
  }

  /** @param {Element} shown */
  #leave(shown) {
    shown.remove();
    this.#clocks.delete(shown);
    this.#seen.delete(shown);
    this.#quiet();
  }

  /** A match that is new comes to the end: what is there keeps its place. @param {Card} card */
  async #join(card) {
    const list = this.querySelector("ul");
    if (!this.hasAttribute("grows") || !list) return;
    const { id } = card;
    this.#joining.add(id);
    const isFull = list.childElementCount >= MOST;
    const answer = isFull ? null : await fetch(`/watch?only=${encodeURIComponent(id)}`).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => null) : null;
    if (text === null) {
      // Its end may have been told meanwhile.
      if (!this.#news.has(id)) this.#news.set(id, card);
      setTimeout(() => this.#joined(id), AGAIN_MS);
      return;
    }
    const made = new DOMParser().parseFromString(text, "text/html").querySelector("rk-live li");
    if (made && !this.querySelector(`[data-match="${CSS.escape(id)}"]`)) {
      list.append(made);
      this.#quiet();
      this.#time(made, card);
      this.watcher?.observe(made);
    }
    this.#joined(id);
  }

  /** What is new of a match is shown again. @param {string} id */
  #joined(id) {
    this.#joining.delete(id);
    this.#draw();
  }
}

/** How long each position of a match that is shown again stays. */
const REEL_MS = 1200;

/** rk-reel: a match that is over, played through again and again while it is seen. */
class Reel extends HTMLElement {
  async connectedCallback() {
    const board = /** @type {Board | null} */ (this.querySelector("rk-board"));
    if (!board || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const answer = await fetch(`/api/v1/matches/${this.getAttribute("match")}/scenes?from=0&to=199`).catch(() => null);
    if (!answer?.ok) return;
    /** @type {{scenes: {scene: Scene}[]}} */
    const { scenes } = await answer.json();
    let [ply, isSeen] = [0, false];
    new IntersectionObserver(([change]) => (isSeen = change.isIntersecting)).observe(this);
    setInterval(() => {
      if (!isSeen || document.hidden || scenes.length < 2) return;
      const { scene } = scenes[ply];
      board.show(scene, ply ? lastMove(scenes[ply - 1].scene, scene) : null);
      ply = (ply + 1) % scenes.length;
    }, REEL_MS);
  }
}

customElements.define("rk-live", LiveBoards);
customElements.define("rk-reel", Reel);
