// Run with: node --test crates/server/tests/page
import assert from "node:assert/strict";
import { test } from "node:test";
import { inPairs, lastMove, layout, nearest, neighbour, nextShown, percent, shares, targets, time, toYou } from "../../assets/moves.js";

test("arrow keys go to the nearest cell of a grid, and stop at its edge", () => {
  const cells = [0, 1, 2].flatMap((y) => [0, 1, 2].map((x) => ({ id: `${x}${y}`, x: 100 * x, y: 100 * y })));
  const middle = cells.find((cell) => cell.id === "11");
  const ids = [[1, 0], [-1, 0], [0, 1], [0, -1]].map((way) => neighbour(cells, middle, way).id);
  assert.deepEqual(ids, ["21", "01", "12", "10"]);
  assert.equal(neighbour(cells, cells[0], [-1, 0]), null);
});

test("targets are those of the chosen piece, or of moves without a piece", () => {
  const moves = [{ id: "a", from: "1", to: "2" }, { id: "b", from: "1", to: "2" }, { id: "c", to: "3" }, { id: "pass" }];
  assert.deepEqual([...targets(moves, "1").entries()], [["2", moves.slice(0, 2)]]);
  assert.deepEqual([...targets(moves, null).keys()], ["3"]);
});

test("the last move is that of the piece that went, or came", () => {
  const scene = (...pieces) => ({ pieces: pieces.map(([id, cell]) => ({ id, cell })) });
  assert.deepEqual(lastMove(scene(["p", "1"], ["q", "2"]), scene(["p", "2"])), { from: "1", to: "2" });
  assert.deepEqual(lastMove(scene(), scene(["p", "4"])), { from: null, to: "4" });
  assert.equal(lastMove(null, scene()), null);
});

test("a piece that left is seen where it stood", () => {
  const scene = (...pieces) => ({ pieces: pieces.map(([id, cell]) => ({ id, cell })) });
  assert.deepEqual(lastMove(scene(["p", "1"], ["q", "2"]), scene(["p", "1"])), { from: "2", to: null });
});

test("a finger means the nearest place, if it is near enough", () => {
  const places = [{ x: 0, y: 0, id: "a" }, { x: 30, y: 0, id: "b" }];
  assert.equal(nearest(places, { x: 20, y: 0 }, 22)?.id, "b");
  assert.equal(nearest(places, { x: 200, y: 0 }, 22), null);
});

test("a turned board keeps every place inside, and a half turn twice is none", () => {
  const view = [-10, 20, 300, 100];
  const corners = [[-10, 20], [290, 20], [-10, 120], [290, 120]];
  for (const [turn, flip] of [[false, false], [true, false], [false, true], [true, true]]) {
    const { view: [x, y, wide, high], at } = layout(view, turn, flip);
    assert.deepEqual([wide, high], turn ? [100, 300] : [300, 100]);
    const seen = corners.map(([left, up]) => at({ x: left, y: up }));
    for (const point of seen) assert.ok(point.x >= x && point.x <= x + wide && point.y >= y && point.y <= y + high, JSON.stringify(point));
    assert.equal(new Set(seen.map((point) => `${point.x} ${point.y}`)).size, 4);
  }
  const { at } = layout(view, false, true);
  assert.deepEqual(at(at({ x: 5, y: 30 })), { x: 5, y: 30 });
  assert.deepEqual(layout(view, true, false).shape({ rect: [2, 6] }), { rect: [6, 2] });
});

test("clocks round up and show hours only where there are some", () => {
  assert.deepEqual([0, 1, 59_999, 60_000, 3_600_000, -5].map(time), ["0:00", "0:01", "1:00", "1:00", "1:00:00", "0:00"]);
});

test("moves stand in pairs only where two players take turns", () => {
  const moves = (...seats) => seats.map((seat) => ({ seat }));
  assert.ok(inPairs(moves(0, 1, 0)));
  assert.ok(!inPairs(moves(0, 0, 1)));
});

test("a status is said to whoever is meant", () => {
  assert.equal(toYou("player 1 to move", "player 1"), "");
  assert.equal(toYou("player 1 must jump on from c5", "player 1"), "You must jump on from c5.");
  assert.equal(toYou("red places a penguin", "red"), "You place a penguin.");
  assert.equal(toYou("white has won", "black"), "white has won");
});

test("the graph of two players is one line, seen from the first", () => {
  const moves = [{ ply: 1, seat: 0, before: 0.5, after: 0.4 }, { ply: 2, seat: 1, before: 0.6, after: 0.9 }];
  const [line] = shares(moves, 2);
  assert.deepEqual(line.map(([ply, share]) => [ply, Math.round(100 * share)]), [[0, 50], [1, 40], [2, 10]]);
  assert.equal(shares(moves, 3).length, 3);
});

test("what is proved is said so", () => {
  assert.deepEqual([percent(1, true), percent(0, true), percent(0.5, true), percent(0.444, false)], ["wins, proved", "loses, proved", "a draw, proved", "44 %"]);
});

test("who is far behind jumps, but never over a hop of a chain", () => {
  const moved = (...seats) => seats.map((seat, idx) => ({ kind: "moved", ply: idx + 1, seat }));
  const walk = (entries, seen, newest) => {
    const shown = [];
    while (seen < newest) shown.push((seen = nextShown(entries, seen, newest)));
    return shown;
  };
  assert.deepEqual(walk(moved(0, 1, 0), 0, 3), [1, 2, 3]);
  assert.deepEqual(walk(moved(0, 1, 0, 1, 0, 1), 0, 6), [6]);
  assert.deepEqual(walk(moved(0, 1, 1, 1, 1, 1), 1, 6), [2, 3, 4, 5, 6]);
  assert.deepEqual(walk(moved(0, 1, 0, 1, 1, 1, 1), 0, 7), [3, 4, 5, 6, 7]);
  assert.deepEqual(walk([...moved(0, 1, 0, 1), undefined], 0, 4), [4]);
});
