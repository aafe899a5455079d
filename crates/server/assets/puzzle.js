// rk-puzzle: every try is answered; hints in three steps; solved days are remembered here.
// @ts-check
import { ask, post } from "./ask.js";
import { look } from "./rules.js";

const SHOWN = 900;

class Puzzle extends HTMLElement {
  #position = "";
  #step = 0;
  #busy = false;
  /** @type {any} */
  #board = null;

  async connectedCallback() {
    await customElements.whenDefined("rk-board");
    this.#board = /** @type {any} */ (this.querySelector("rk-board"));
    for (const name of ["ask", "back", "solution", "type"]) this.#part(name).hidden = false;
    this.addEventListener("rk-move", (event) => this.#try(/** @type {CustomEvent} */ (event).detail.id));
    this.#part("back").addEventListener("click", () => this.#say(this.#begin()));
    this.#part("ask").addEventListener("click", () => this.#say(this.#hint()));
    this.#part("solution").addEventListener("click", () => this.#say(this.#solution()));
    this.#part("on").addEventListener("click", () => this.#say(this.#playOn()));
    this.#part("type").addEventListener("submit", (event) => {
      event.preventDefault();
      const field = /** @type {HTMLInputElement} */ (this.querySelector("[name=move]"));
      if (field.value.trim()) this.#try(field.value.trim());
      field.value = "";
    });
    this.#days();
    await this.#say(this.#begin());
  }

  /** What went wrong is said. @param {Promise<void>} done */
  async #say(done) {
    try {
      await done;
    } catch (error) {
      this.#part("status").textContent = /** @type {Error} */ (error).message;
    }
  }

  /** @param {string} name */
  #part(name) {
    return /** @type {HTMLElement} */ (this.querySelector(`[data-part="${name}"]`));
  }

  /** @param {string} path @param {object} [body] */
  #ask(path, body) {
    const url = `/api/v1/puzzles/${this.getAttribute("date")}${path}`;
    const game = this.getAttribute("game");
    return body ? post(url, { game, position: this.#position, ...body }) : ask(`${url}?game=${game}`);
  }

  async #begin() {
    this.#position = this.getAttribute("position") ?? "";
    this.#step = 0;
    this.#part("hint").hidden = true;
    this.#board.show((await this.#ask("")).scene);
  }

  /** @param {string} move */
  async #try(move) {
    if (this.#busy) return;
    this.#busy = true;
    try {
      const { result, played, answered } = await this.#ask("/attempt", { move });
      this.#board.show(played);
      const line = document.createElement("li");
      const code = document.createElement("code");
      code.textContent = move;
      line.append(code, " ");
      const wrong = result.wrong ?? null;
      if (result === "solved") line.append("Wins. Solved.");
      else if (result.right) line.append(`Right. The answer is ${result.right.reply}: go on.`);
      else line.append(wrong.reply ? `Does not win: ${wrong.reply} answers it.` : "Does not win.");
      line.className = wrong ? "no" : "yes";
      this.#part("tries").append(line);
      this.#part("status").textContent = line.textContent ?? "";
      await new Promise((done) => setTimeout(done, SHOWN));
      if (answered) this.#board.show(answered);
      if (result === "solved") return this.#solved();
      if (result.right) {
        this.#position = result.right.position;
        this.#step = 0;
        return;
      }
      await new Promise((done) => setTimeout(done, SHOWN));
      this.#board.show((await look(this.getAttribute("game"), this.#position)).scene);
    } catch (error) {
      this.#part("status").textContent = /** @type {Error} */ (error).message;
    } finally {
      this.#busy = false;
    }
  }

  async #hint() {
    this.#step = Math.min(3, this.#step + 1);
    const told = await this.#ask("/hint", { step: this.#step });
    const note = this.#part("hint");
    note.hidden = false;
    note.textContent = `Hint ${this.#step} of 3. ${told.said}`;
    if (told.move) this.#board.hint(told.move);
  }

  async #solution() {
    const button = this.#part("solution");
    if (button.dataset.asked === undefined) {
      button.dataset.asked = "";
      button.textContent = "Really show it?";
      return;
    }
    await this.#walk();
  }

  async #walk() {
    const { moves, pictures, all } = await this.#ask("/solution");
    const tried = [...this.#part("tries").querySelectorAll("code")].map((code) => code.textContent);
    this.#part("solved").hidden = false;
    this.#part("every").replaceChildren(...all.map((/** @type {{move: string, worth: string, wins: boolean}} */ one) => {
      const item = document.createElement("li");
      item.className = one.wins ? "yes" : "no";
      const code = document.createElement("code");
      code.textContent = one.move;
      item.append(code, ` ${one.worth} `);
      if (tried.includes(one.move)) {
        const mark = document.createElement("span");
        mark.className = "chip";
        mark.textContent = "your try";
        item.append(mark);
      }
      return item;
    }));
    const walk = this.#part("walk");
    walk.hidden = false;
    walk.querySelector("ol")?.replaceChildren(...moves.map((/** @type {string} */ move, /** @type {number} */ idx) => {
      const item = document.createElement("li");
      // The sheet of the page has the colours; one inside a picture is not allowed here.
      const text = pictures[idx].replace(/<style>[^]*?<\/style>/, "");
      const picture = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
      picture.ariaHidden = "true";
      const code = document.createElement("code");
      code.textContent = move;
      item.append(picture, code);
      return item;
    }));
  }

  /** A new match from where the puzzle begins: whoever solved it has its side. */
  async #playOn() {
    const [seat, n] = [Number(this.getAttribute("seat")), Number(this.getAttribute("seats"))];
    const seats = Array.from({ length: n }, (_, idx) => (idx === seat ? "me" : "hard"));
    const spec = { game: this.getAttribute("game"), seats, start: { position: this.getAttribute("position") } };
    location.assign(`/m/${(await post("/api/v1/matches", spec)).id}`);
  }

  #solved() {
    const days = new Set(JSON.parse(localStorage.getItem("puzzles") ?? "[]"));
    days.add(this.getAttribute("date"));
    localStorage.setItem("puzzles", JSON.stringify([...days].sort().slice(-400)));
    this.#days();
    return this.#walk();
  }

  #days() {
    const days = JSON.parse(localStorage.getItem("puzzles") ?? "[]");
    for (const link of /** @type {NodeListOf<HTMLElement>} */ (this.querySelectorAll("[data-day]"))) {
      const isSolved = days.includes(link.dataset.day);
      link.classList.toggle("w", isSolved);
      link.setAttribute("aria-label", `${link.dataset.day}, ${isSolved ? "solved" : "not solved"}`);
    }
  }
}

customElements.define("rk-puzzle", Puzzle);
