// rk-connect: a light that turns green by itself when the bot of a name has connected, and how its last game went.
// @ts-check

const EVERY = 2000;

class Connect extends HTMLElement {
  #name = "";

  connectedCallback() {
    this.#name = this.getAttribute("name") ?? "";
    if (!this.#name) return;
    this.#part("test").addEventListener("click", () => this.#test());
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
    const bots = await (await fetch("/api/v1/bots")).json();
    const bot = bots.find((/** @type {any} */ one) => one.name === this.#name);
    const light = this.#part("light");
    light.textContent = bot ? (bot.playing ? "plays now" : "online") : "not connected";
    light.classList.toggle("good", Boolean(bot));
    this.#check("connected", bot ? "yes" : "wait");
    this.#part("test").hidden = !bot || bot.playing;
    this.#part("said").hidden = Boolean(bot);
    const answer = await fetch(`/api/v1/players/${encodeURIComponent(this.#name)}`);
    if (!answer.ok) return;
    const [last] = (await answer.json()).matches;
    this.#check("played", last ? "yes" : "wait");
    if (!last) return;
    // Causes that are no fault of anybody have words of their own.
    const seat = last.players.indexOf(this.#name);
    const isFault = !last.winners.includes(seat) && !["normal", "resigned", "agreed", "proved", "max_turns"].includes(last.cause);
    this.#check("faultless", isFault ? "no" : "yes", isFault ? `Lost: ${last.cause.replaceAll("_", " ")}. ` : "Its last game without a fault. ");
    const link = document.createElement("a");
    link.href = `/m/${last.id}`;
    link.textContent = "See the game";
    this.#part("faultless").append(link);
  }

  async #test() {
    const bots = await (await fetch("/api/v1/bots")).json();
    const game = bots.find((/** @type {any} */ one) => one.name === this.#name)?.games?.[0] ?? "hexapawn";
    const { n_seats: seats } = await (await fetch(`/api/v1/preview?spec=${game}`)).json();
    const answer = await fetch("/api/v1/matches", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ game, seats: [`@${this.#name}`, ...Array(seats - 1).fill("random")], time: "5s" }),
    });
    const made = await answer.json();
    if (answer.ok) location.assign(made.url);
    else {
      const said = this.#part("said");
      said.hidden = false;
      said.textContent = made.error.message;
    }
  }
}

customElements.define("rk-connect", Connect);
