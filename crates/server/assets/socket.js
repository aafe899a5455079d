// The one socket of a page. It comes back by itself, and says again what is watched.
// @ts-check

const WAITS = [500, 1000, 2000, 4000, 8000, 15000];
/** How often we ask whether the server is there; who has not answered by the next time is gone. */
const BEAT = 8000;

export class Live extends EventTarget {
  /** @type {WebSocket | null} */ #socket = null;
  #tries = 0;
  #n = 0;
  /** @type {Map<number, (why: string | null) => void>} */ #waiting = new Map();
  #hello;
  #asked = false;

  /** @param {string} path @param {() => object} hello what is said whenever it opens */
  constructor(path, hello) {
    super();
    this.url = new URL(path, location.href);
    this.url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.#hello = hello;
    this.#open();
    addEventListener("online", () => (this.#socket === null ? this.#open() : this.#beat()));
    addEventListener("offline", () => this.#lost());
    setInterval(() => this.#beat(), BEAT);
  }

  #beat() {
    if (this.#socket?.readyState !== WebSocket.OPEN) return;
    if (this.#asked) return this.#lost();
    this.#asked = true;
    this.send({ ping: 1 });
  }

  /** Nobody answers, and the browser may notice only much later. */
  #lost() {
    const socket = this.#socket;
    socket?.close();
    if (socket) this.#closed(socket);
  }

  /** Tries at once. */
  now() {
    if (this.#socket === null) this.#open();
  }

  #open() {
    const socket = new WebSocket(this.url);
    this.#socket = socket;
    this.#asked = false;
    socket.addEventListener("open", () => {
      this.#tries = 0;
      this.#tell("state", { state: "live" });
      this.send(this.#hello());
    });
    socket.addEventListener("message", (event) => {
      this.#asked = false;
      const message = JSON.parse(event.data);
      if (message.reply) {
        this.#waiting.get(message.reply.n)?.(message.reply.error ?? null);
        this.#waiting.delete(message.reply.n);
      } else this.#tell("message", message);
    });
    socket.addEventListener("close", () => this.#closed(socket));
  }

  /** @param {WebSocket} socket */
  #closed(socket) {
    if (this.#socket !== socket) return;
    this.#socket = null;
    for (const done of this.#waiting.values()) done("The connection was lost. Check whether it went through.");
    this.#waiting.clear();
    const wait = WAITS[Math.min(this.#tries++, WAITS.length - 1)];
    this.#tell("state", { state: navigator.onLine ? "waiting" : "offline", wait });
    // Without a network there is nothing to try; the browser says when it is back.
    setTimeout(() => this.#socket === null && navigator.onLine && this.#open(), wait);
  }

  /** @param {string} name @param {unknown} detail */
  #tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  /** Says something, if there is a connection. @param {object} message */
  send(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Does something in a match. @param {string} match @param {object} what @returns {Promise<string | null>} why not, or null */
  act(match, what) {
    const n = ++this.#n;
    return new Promise((done) => {
      this.#waiting.set(n, done);
      if (!this.send({ do: { match, n, ...what } })) {
        this.#waiting.delete(n);
        done("Not sent: no connection. Make the move again when it is back.");
      }
    });
  }
}
