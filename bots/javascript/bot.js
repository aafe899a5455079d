// A bot for Rookery that plays any game: it picks one of the legal moves at random.

// Your choice goes here: return one of the texts in `legal`. `position` is the position as text, `turn` the whole
// message: its `state` has the same as data, its `clock` the time, its `moves` what the others did.
function choose(legal, position, turn) {
  return legal[Math.floor(Math.random() * legal.length)];
}

function send(message) {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// Nothing but messages may go to the standard output. For your own lines: console.error(...)
function answer(message) {
  if (message.type === "hello") {
    send({ type: "hello", version: 1, name: "javascript-bot" });
  } else if (message.type === "new_game") {
    send({ type: "ready" });
  } else if (message.type === "turn") {
    const move = choose(message.legal, message.position, message);
    send({ type: "move", id: message.id, move });
  } else if (message.type === "quit") {
    process.exit(0);
  } // All other messages need no answer, also those that do not exist yet.
}

// What arrives may end in the middle of a line.
let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) answer(JSON.parse(line));
});
