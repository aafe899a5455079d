// The same bot with the client library: it captures if it can, and says so.
const { Bot, run } = require("./rookery-bot.js");

const oneOf = (moves) => moves[Math.floor(Math.random() * moves.length)];

class MyBot extends Bot {
  hello = { name: "library-bot" };

  choose(turn) {
    const captures = turn.legal.filter((move) => move.includes("x")); // as Hexapawn writes them
    if (captures.length > 0) return { move: oneOf(captures), info: { text: "a capture" } };
    return oneOf(turn.legal);
  }
}

run(new MyBot());
