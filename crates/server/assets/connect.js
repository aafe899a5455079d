// rk-connect: a light that turns green by itself when the bot of a name has connected, and how its last game went.
// @ts-check
import { ask, post } from "./ask.js";

const EVERY = 2000;
/** How a game ends without anybody's fault, and how it ends because of us. */
const FAULTLESS = ["normal", "resigned", "draw_agreed", "adjudicated", "max_turns"];
const OURS = ["platform_abort", "cancelled"];

class Connect extends HTMLElement {
  #name = "";
  #reporting = 0;

  connectedCallback() {
    this.#name = this.getAttribute("name") ?? "";
    if (!this.#name) return;
    this.#part("test").addEventListener("click", () => this.#try(this.#test()));
    this.#part("check").addEventListener("click", () => this.#try(this.#begin()));
    this.#look();
  }

  /** @param {string} name */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }

  /** @param {string} name @param {string} state @param {string} [text] */
  #check(name, state, text) {
    const item = this.#part(name);
    item.className = state;
    if (text) item.textContent = text;
  }

  async #look() {
    if (!this.isConnected) return;
    try {
      if (!document.hidden) await this.#ask();
    } catch {
      // The server is away for a moment: it is asked again.
    }
    setTimeout(() => this.#look(), EVERY);
  }

  async #ask() {
    const bots = await ask("/api/v1/bots");
    const bot = bots.find((/** @type {any} */ one) => one.name === this.#name);
    const light = this.#part("light");
    light.textContent = bot ? (bot.playing ? "plays now" : "online") : "not connected";
    light.classList.toggle("good", Boolean(bot));
    this.#check("connected", bot ? "yes" : "wait");
    this.#part("test").hidden = !bot || bot.playing;
    this.#part("check").hidden = !bot || bot.playing;
    await this.#report();
    this.#part("said").hidden = Boolean(bot);
    const name = encodeURIComponent(this.#name);
    const known = await ask(`/api/v1/players?prefix=${name}`);
    // Who has not played yet is not known, and that is no error to be told of.
    if (!known.some((/** @type {any} */ one) => one.name === this.#name)) return;
    const answer = await fetch(`/api/v1/players/${name}`);
    if (!answer.ok) return;
    const [last] = (await answer.json()).matches;
    this.#check("played", last ? "yes" : "wait");
    if (!last) return;
    // Causes that are nobody's fault, and our own failures, have words of their own.
    const seat = last.players.indexOf(this.#name);
    const isOurs = OURS.includes(last.cause);
    const isFault = !isOurs && !last.winners.includes(seat) && !FAULTLESS.includes(last.cause);
    const said = isFault ? `Lost: ${last.cause.replaceAll("_", " ")}. ` : isOurs ? "Its last game was stopped by us, and does not count. " : "Its last game without a fault. ";
    this.#check("faultless", isFault ? "no" : isOurs ? "wait" : "yes", said);
    const link = document.createElement("a");
    link.href = `/m/${last.id}`;
    link.textContent = "See the game";
    this.#part("faultless").append(link);
  }

  /** What went wrong is said, until something else is tried. @param {Promise<void>} done */
  async #try(done) {
    const problem = this.#part("problem");
    problem.hidden = true;
    try {
      await done;
    } catch (error) {
      problem.hidden = false;
      problem.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** Lets the server check the bot. */
  async #begin() {
    const button = /** @type {HTMLButtonElement} */ (this.#part("check"));
    button.disabled = true;
    try {
      await post(`/api/v1/bots/${encodeURIComponent(this.#name)}/check`, {});
    } finally {
      button.disabled = false;
    }
    await this.#report();
  }

  /** Shows the report, as far as it is. */
  async #report() {
    const answer = await fetch(`/api/v1/bots/${encodeURIComponent(this.#name)}/check`);
    if (!answer.ok) return;
    /** @type {{running: boolean, steps: {name: string, passed: boolean | null, seen: string | null, sent: string | null, expected: string | null, hint: string | null, match: string | null}[]}} */
    const { running, steps } = await answer.json();
    const list = this.#part("report");
    const key = JSON.stringify(steps);
    if (list.dataset.key !== key) {
      list.dataset.key = key;
      list.replaceChildren(...steps.map((step) => this.#step(step)));
    }
    // One at a time: whoever else asks meanwhile does not ask again by itself.
    clearTimeout(this.#reporting);
    if (running) this.#reporting = setTimeout(() => this.#report().catch(() => {}), 500);
  }

  /** @param {{name: string, passed: boolean | null, seen: string | null, sent: string | null, expected: string | null, hint: string | null, match: string | null}} step */
  #step({ name, passed, seen, sent, expected, hint, match }) {
    const item = document.createElement("li");
    item.className = passed === null ? "wait" : passed ? "yes" : "no";
    const text = document.createElement("div");
    text.append(name, seen ? `: ${seen}` : "");
    item.append(text);
    for (const [title, said] of [["It sent", sent], ["Expected", expected], ["Hint", hint]]) {
      if (passed !== false || !said) continue;
      const line = document.createElement("p");
      line.className = "tiny";
      line.append(`${title}: ${said}`);
      text.append(line);
    }
    if (match && passed === false) {
      const link = document.createElement("a");
      [link.href, link.textContent] = [`/m/${match}`, " See the move"];
      text.append(link);
    }
    return item;
  }

  async #test() {
    const bots = await ask("/api/v1/bots");
    const game = bots.find((/** @type {any} */ one) => one.name === this.#name)?.games?.[0] ?? "hexapawn";
    const { n_seats: seats } = await ask(`/api/v1/preview?spec=${game}`);
    const made = await post("/api/v1/matches", { game, seats: [`@${this.#name}`, ...Array(seats - 1).fill("random")], time: "5s" });
    location.assign(made.url);
  }
}

customElements.define("rk-connect", Connect);
