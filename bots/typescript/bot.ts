// A bot for Rookery that plays any game: it picks one of the legal moves at random.

declare const process: any; // of Node; with @types/node this line can go

interface Turn {
  type: "turn"; id: number; seat: number; ply: number; count: number; legal: string[]; position: string;
  state: { to_move: number; scores: number[]; cells: object[]; pieces: object[] };
  moves: { seat: number; move?: string; removed?: string; taken_back_to?: number }[];
  clock: { answer_ms: number | null; left_ms: number[] | null };
}
type Message = { type: "hello" } | { type: "new_game"; seat: number; spec: string } | Turn | { type: "quit" };

// Your choice goes here: return one of the texts in `turn.legal`.
function choose(turn: Turn): string {
  return turn.legal[Math.floor(Math.random() * turn.legal.length)];
}

function send(message: object): void {
  process.stdout.write(JSON.stringify(message) + "\n");
}

// Nothing but messages may go to the standard output. For your own lines: process.stderr.write(...)
function answer(message: Message): void {
  switch (message.type) {
    case "hello": return send({ type: "hello", version: 1, name: "typescript-bot" });
    case "new_game": return send({ type: "ready" });
    case "turn": return send({ type: "move", id: message.id, move: choose(message) });
    case "quit": process.exit(0);
  } // All other messages need no answer, also those that do not exist yet.
}

// What arrives may end in the middle of a line.
let rest = "";
process.stdin.setEncoding("utf8").on("data", (chunk: string) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop() as string;
  for (const line of lines) answer(JSON.parse(line));
});
