// Checks of the engine: node check_engine.js
"use strict";

const assert = require("node:assert");
const path = require("node:path");
const { spawn } = require("node:child_process");

const engine = spawn(process.execPath, [path.join(__dirname, "engine.js")], { stdio: ["pipe", "pipe", "inherit"] });
let received = "";
let waiting = null;
engine.stdout.setEncoding("utf8");
engine.stdout.on("data", (text) => {
  received += text;
  const end = received.indexOf("\n\n");
  if (end >= 0 && waiting) {
    const reply = received.slice(0, end);
    received = received.slice(end + 2);
    waiting(reply);
  }
});

function ask(command) {
  return new Promise((resolve) => {
    waiting = resolve;
    engine.stdin.write(`${command}\n`);
  });
}

async function check() {
  const listed = (await ask("list_commands")).slice(2).split("\n");
  for (const name of ["boardsize", "komi", "clear_board", "play", "genmove", "quit"])
    assert(listed.includes(name), `${name} is not listed`);
  for (const command of ["boardsize 26", "play black Z99", "genmove white", "nonsense", "komi 1.5"])
    assert((await ask(command)).startsWith("?"), `${command} should be refused`);
  for (const [game, size] of [["pletore", 5], ["pente", 7]]) {
    for (const command of [`arena-game ${game}`, `boardsize ${size}`, "clear_board"])
      assert((await ask(command)).startsWith("="), `${command} should be accepted`);
    for (let turn = 0; ; turn++) {
      assert(turn < 500, "the game did not end");
      const legal = (await ask("gogui-rules_legal_moves")).slice(1).split(/\s+/).filter(Boolean);
      if (!legal.length) break;
      const move = (await ask(`genmove ${turn % 2 ? "white" : "black"}`)).slice(2);
      assert(legal.includes(move), `${move} is not legal`);
    }
  }
  await ask("quit");
  console.log("all checks passed");
}

check().catch((error) => {
  console.error(error.message);
  engine.kill();
  process.exitCode = 1;
});
