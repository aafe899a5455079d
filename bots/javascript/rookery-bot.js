// @ts-check
"use strict";

/**
 * A small client library for Rookery: the messages of docs/protocol.md as types, and the loop that answers them.
 *
 *     const { Bot, run } = require("./rookery-bot.js");
 *     class First extends Bot {
 *       choose(turn) { return turn.legal[0]; }
 *     }
 *     run(new First());
 *
 * @typedef {{ mode: "none", cap_ms: number } | { mode: "move", move_ms: number }
 *   | { mode: "game", base_ms: number, increment_ms: number } | { mode: "bank", move_ms: number, bank_ms: number }} Time
 *
 * @typedef {object} NewGame
 * @property {"new_game"} type
 * @property {string} game
 * @property {string} spec
 * @property {number} seat            ours, from 0
 * @property {{ name: string, label: string }[]} seats
 * @property {string} seed            digits: randomness for this bot alone
 * @property {Time} time
 * @property {string} position        where the moves begin
 * @property {string[]} moves         made before we came
 * @property {string} [token]
 * @property {number} reply_ms
 *
 * @typedef {object} State
 * @property {number} to_move
 * @property {number[]} scores         of each seat so far
 * @property {{ id: string, value?: number }[]} cells
 * @property {{ cell: string, seat: number, kind: string }[]} pieces
 *
 * @typedef {object} Turn
 * @property {"turn"} type
 * @property {number} id
 * @property {number} seat
 * @property {number} ply
 * @property {number} count           of all legal moves
 * @property {string[]} legal         the first 1000 of them; missing with the feature "delta", as is the state
 * @property {string} position        with "delta" only after somebody was removed or took moves back
 * @property {State} state
 * @property {{ seat: number, move?: string, removed?: string, taken_back_to?: number }[]} moves  since our last turn
 * @property {{ answer_ms: number | null, left_ms: number[] | null }} clock
 *
 * @typedef {{ type: "moved", id: number, move: string, used_ms: number | null, left_ms: number | null }} Moved
 * @typedef {{ type: "reject", id: number, code: string, message: string, sent: string, legal: string[],
 *   chances: number | null }} Reject
 * @typedef {{ type: "said", seat: number, text: string }} Said
 * @typedef {{ seat: number, name: string, place: number | null, score: number | null, cause: string | null }} Result
 * @typedef {{ type: "game_over", cause: string, seat: number | null, message: string, plies: number,
 *   results: Result[] }} GameOver
 * @typedef {{ type: "error", code: string, message: string }} Failure
 * @typedef {{ type: "hello" } | { type: "quit" } | Failure | NewGame | Turn | Moved | Reject | Said | GameOver} Message
 *
 * @typedef {{ depth?: number, score?: number, line?: string[], text?: string }} Info
 * @typedef {{ move: string | number, info?: Info, say?: string }} Move   an answer with more than a move
 * @typedef {string | number | Move | typeof RESIGN} Choice   a legal move, its index in `legal`, or more
 */

const RESIGN = Symbol("resign");

/** Override `choose`, and of the others what you like. */
class Bot {
  /** @type {{ name?: string, author?: string, games?: string[], features?: string[], process?: "game" | "session" }} */
  hello = { name: "javascript-bot" };

  /** @param {Turn} turn @returns {Choice | Promise<Choice>} */
  choose(turn) {
    throw new Error("a bot needs a method choose(turn)");
  }

  /** May also be async: `ready` is sent when it is done. @param {NewGame} game @returns {void | Promise<void>} */
  newGame(game) {}
  /** @param {Moved} moved */
  moved(moved) {}
  /** @param {Said} said */
  said(said) {}
  /** @param {GameOver} over */
  gameOver(over) {}
  /** @param {Reject} reject */
  reject(reject) {
    console.error(`rejected (${reject.code}): ${reject.message}`);
  }

  /** @param {string} text */
  say(text) {
    send({ type: "say", text });
  }
}

/** @param {object} message */
function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

/** @param {number} id @param {Choice} choice */
function answer(id, choice) {
  if (choice === RESIGN) return { type: "resign", id };
  const { move, ...more } = typeof choice === "object" ? choice : { move: choice };
  return { type: "move", id, ...(typeof move === "number" ? { index: move } : { move }), ...more };
}

/** The messages, one by one; what arrives may end in the middle of a line. */
async function* messages() {
  let rest = "";
  for await (const chunk of process.stdin.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) yield /** @type {Message} */ (JSON.parse(line));
  }
}

/** Plays until Rookery says `quit` or closes the input. @param {Bot} bot */
async function run(bot) {
  for await (const message of messages()) {
    switch (message.type) {
      case "hello": send({ type: "hello", version: 1, ...bot.hello }); break;
      case "new_game": await bot.newGame(message); send({ type: "ready" }); break;
      case "turn": send(answer(message.id, await bot.choose(message))); break;
      case "moved": bot.moved(message); break;
      case "reject": bot.reject(message); break;
      case "said": bot.said(message); break;
      case "game_over": bot.gameOver(message); break;
      case "error": console.error(`error (${message.code}): ${message.message}`); break;
      case "quit": return;
    }
  }
}

module.exports = { Bot, RESIGN, run };
