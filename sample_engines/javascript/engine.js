#!/usr/bin/env node
// A complete engine for Pletore and Pente in one file of JavaScript, for node, without any package.
//
//     node engine.js
//
// It looks one move ahead and takes the best by a small evaluation, by chance among equals. To make it your own,
// change `evaluate` and `choose`. The two classes are the rules, the rest is the protocol (GTP 2 with arena- extensions).
"use strict";

const COLUMNS = "ABCDEFGHJKLMNOPQRSTUVWXYZ";
const BLACK = 0, WHITE = 1;

// ---- Pletore ---------------------------------------------------------------------------------------------------
// A move is a point (row * size + column), then the button, then the pass.

class Pletore {
  static accepts(size) { return size >= 1 && size <= 25; }

  constructor(size, komi) {
    this.size = size;
    this.komi = komi;
    this.points = size * size;
    this.board = new Uint8Array(this.points); // 0 empty, 1 Black, 2 White
    this.toMove = BLACK;
    this.turns = 0;
    this.passes = 0;
    this.button = Math.abs(size - komi) % 2 === 0 ? "free" : "unused";
    this.forbidden = -1; // where White's first stone may not stand on even boards: opposite Black's
    this.over = false;
  }

  copy() {
    const twin = Object.assign(Object.create(Pletore.prototype), this);
    twin.board = this.board.slice();
    return twin;
  }

  // The players who see a point along its row and along its column, as a mask.
  pinchers(point) {
    const { size, board } = this;
    const row = Math.floor(point / size), column = point % size;
    const look = (up, right) => {
      for (let r = row + up, c = column + right; r >= 0 && r < size && c >= 0 && c < size; r += up, c += right)
        if (board[r * size + c]) return board[r * size + c];
      return 0;
    };
    return (look(0, -1) | look(0, 1)) & (look(-1, 0) | look(1, 0));
  }

  legalMoves() {
    if (this.over) return [];
    const own = this.toMove + 1, moves = [];
    let settled = true;
    for (let point = 0; point < this.points; point++) {
      const stone = this.board[point], by = this.pinchers(point);
      if (!stone && (by === 0 || by === 3)) settled = false;
      if (stone ? stone !== own && by === own : by !== 3 - own && point !== this.forbidden) moves.push(point);
    }
    if (this.button === "free") moves.push(this.points);
    else if (settled) moves.push(this.points + 1);
    return moves;
  }

  play(move) {
    this.passes = move === this.points + 1 ? this.passes + 1 : 0;
    if (move < this.points) this.board[move] = this.toMove + 1;
    if (move === this.points) this.button = this.toMove;
    const isFirstStone = this.size % 2 === 0 && this.turns === 0 && move < this.points;
    this.forbidden = isFirstStone ? this.points - 1 - move : -1;
    this.over = this.passes === 2;
    this.toMove = 1 - this.toMove;
    this.turns++;
  }

  // What the position is worth to a side whose opponent is to move: the score, less what can be flipped next.
  evaluate(side) {
    let worth = this.button === side ? 0.5 : 0;
    for (let point = 0; point < this.points; point++) {
      const stone = this.board[point], by = this.pinchers(point);
      const owner = stone || by;
      if (owner === side + 1) worth += 1;
      else if (owner === 2 - side) worth -= 1;
      if (stone && by === 3 - stone) worth += stone === side + 1 ? -4 : 2;
    }
    return worth;
  }

  wordOf(move) {
    if (move === this.points) return "button";
    if (move > this.points) return "pass";
    return COLUMNS[move % this.size] + (Math.floor(move / this.size) + 1);
  }
}

// ---- Pente -----------------------------------------------------------------------------------------------------

class Pente {
  static accepts(size) { return size >= 5 && size <= 25 && size % 2 === 1; }

  constructor(size) {
    this.size = size;
    this.points = size * size;
    this.board = new Uint8Array(this.points);
    this.toMove = BLACK;
    this.turns = 0;
    this.pairs = [0, 0];
    this.run = 0;
    this.over = false;
  }

  copy() {
    const twin = Object.assign(Object.create(Pente.prototype), this);
    twin.board = this.board.slice();
    twin.pairs = this.pairs.slice();
    return twin;
  }

  at(row, column) {
    const inside = row >= 0 && row < this.size && column >= 0 && column < this.size;
    return inside ? this.board[row * this.size + column] : -1;
  }

  legalMoves() {
    if (this.over) return [];
    if (this.turns === 0) return [(this.points - 1) / 2];
    const moves = [];
    for (let point = 0; point < this.points; point++) if (!this.board[point]) moves.push(point);
    return moves;
  }

  play(move) {
    const row = Math.floor(move / this.size), column = move % this.size, own = this.toMove + 1, enemy = 3 - own;
    this.board[move] = own;
    for (let up = -1; up <= 1; up++)
      for (let right = -1; right <= 1; right++) {
        if (!up && !right) continue;
        const seen = [1, 2, 3].map((k) => this.at(row + k * up, column + k * right));
        if (seen[0] === enemy && seen[1] === enemy && seen[2] === own) {
          this.board[move + up * this.size + right] = 0;
          this.board[move + 2 * (up * this.size + right)] = 0;
          this.pairs[this.toMove]++;
        }
      }
    this.run = this.longestRun(row, column, own);
    this.over = this.run >= 5 || this.pairs[this.toMove] >= 5 || !this.board.includes(0);
    this.toMove = 1 - this.toMove;
    this.turns++;
  }

  longestRun(row, column, own) {
    let longest = 0;
    for (const [up, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
      let run = 1;
      for (const way of [1, -1])
        for (let k = way; this.at(row + k * up, column + k * right) === own; k += way) run++;
      longest = Math.max(longest, run);
    }
    return longest;
  }

  // What the position is worth to the side that has just moved: pairs, its line, and not to leave the other's.
  evaluate(side) {
    if (this.over) return 1e6;
    return 30 * (this.pairs[side] - this.pairs[1 - side]) + this.run ** 3 + this.blocked(side);
  }

  // How long the opponent's line would have been had the last stone been his.
  blocked(side) {
    const row = Math.floor(this.last / this.size), column = this.last % this.size;
    return this.last === undefined ? 0 : this.longestRun(row, column, 2 - side) ** 3;
  }

  wordOf(move) { return COLUMNS[move % this.size] + (Math.floor(move / this.size) + 1); }
}

// ---- The choice of a move --------------------------------------------------------------------------------------

let randomState = (Date.now() ^ (process.pid << 8)) >>> 0 || 1;

function draw(bound) {
  randomState ^= randomState << 13;
  randomState ^= randomState >>> 17;
  randomState ^= randomState << 5;
  return (randomState >>> 0) % bound;
}

function choose(position, millisecondsLeft, movesToCome) {
  const moves = position.legalMoves();
  const end = Date.now() + Math.min(2000, millisecondsLeft / movesToCome);
  let best = [], bestWorth = -Infinity;
  for (const move of moves) {
    const after = position.copy();
    after.play(move);
    after.last = move;
    const worth = after.evaluate(position.toMove);
    if (worth > bestWorth) { best = []; bestWorth = worth; }
    if (worth === bestWorth) best.push(move);
    if (Date.now() > end) break;
  }
  return best[draw(best.length)];
}

// ---- The protocol ----------------------------------------------------------------------------------------------

const GAMES = { pletore: [Pletore, 9], pente: [Pente, 19] };
let game = "pletore", size = 9, komi = 0, position = null, millisecondsLeft = Infinity, movesToCome = 20;

class Refusal extends Error {}

function current() {
  if (!position) position = new GAMES[game][0](size, komi);
  return position;
}

function colourOf(word) {
  if (/^b(lack)?$/i.test(word)) return BLACK;
  if (/^w(hite)?$/i.test(word)) return WHITE;
  throw new Refusal("expected black or white");
}

function yourTurn(word) {
  const colour = colourOf(word);
  if (current().over) throw new Refusal("the game is over");
  if (current().toMove !== colour) throw new Refusal("it is the other side's turn");
  return colour;
}

const COMMANDS = {
  protocol_version: () => "2",
  name: () => "one ply in JavaScript",
  version: () => "1",
  list_commands: () => Object.keys(COMMANDS).join("\n"),
  quit: () => "",
  "arena-games": () => Object.keys(GAMES).join("\n"),
  "arena-game": (name) => {
    if (!Object.hasOwn(GAMES, name)) throw new Refusal("unknown game");
    game = name;
    size = GAMES[name][1];
    komi = 0;
    position = null;
    return "";
  },
  "arena-seed": (seed) => {
    randomState = (Number(BigInt(seed) & 0xffffffffn) ^ 0x9e3779b9) >>> 0 || 1;
    return "";
  },
  boardsize: (word) => {
    if (!GAMES[game][0].accepts(Number(word))) throw new Refusal("unacceptable size");
    size = Number(word);
    position = null;
    return "";
  },
  komi: (word) => {
    if (!Number.isInteger(Number(word))) throw new Refusal("komi must be a whole number");
    komi = Number(word);
    if (!position || position.turns === 0) position = null;
    return "";
  },
  clear_board: () => {
    position = null;
    return "";
  },
  play: (colour, word) => {
    yourTurn(colour);
    const move = position.legalMoves().find((legal) => position.wordOf(legal).toUpperCase() === word.toUpperCase());
    if (move === undefined) throw new Refusal("illegal move");
    position.play(move);
    return "";
  },
  genmove: (colour) => {
    yourTurn(colour);
    const move = choose(position, millisecondsLeft, movesToCome);
    const word = position.wordOf(move);
    position.play(move);
    return word;
  },
  "arena-time_settings": (text) => {
    movesToCome = text.endsWith("/move") ? 2 : 20;  // a fixed time for each move is not saved for later
    return "";
  },
  "arena-clock": (...words) => {
    const key = current().toMove === BLACK ? "black_ms=" : "white_ms=";
    for (const word of words) if (word.startsWith(key)) millisecondsLeft = Number(word.slice(key.length));
    return "";
  },
  "gogui-rules_legal_moves": () => current().legalMoves().map((move) => position.wordOf(move)).join(" "),
};

function answer(line) {
  const words = line.replace(/#.*/, "").trim().split(/\s+/).filter(Boolean);
  const id = /^\d+$/.test(words[0] ?? "") ? words.shift() : "";
  if (!words.length) return "";
  const [name, ...rest] = words;
  try {
    if (!Object.hasOwn(COMMANDS, name)) throw new Refusal("unknown command");
    return `=${id} ${COMMANDS[name](...rest)}\n\n`;
  } catch (error) {
    if (!(error instanceof Refusal)) console.error(error);
    return `?${id} ${error.message.replaceAll("\n", " ")}\n\n`;
  }
}

let unread = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  const lines = (unread + text).split("\n");
  unread = lines.pop();
  for (const line of lines) {
    const hasQuit = /^\s*(\d+\s+)?quit\b/.test(line);
    process.stdout.write(answer(line), hasQuit ? () => process.exit(0) : undefined);
    if (hasQuit) return;
  }
});
