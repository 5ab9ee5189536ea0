"use strict";

/* A seat at the board. The server says what stands where and what is legal; this page says what was clicked.
 * Everything received is put in as text or as numbers, never as markup. */

const SVG = "http://www.w3.org/2000/svg";
const at = (id) => document.getElementById(id);

let game = null; // the drawing and its targets
let table = null; // what the server last told
let toldAt = 0;
let board = null;
let focused = 0; // the target that the Tab key reaches
let chosenCell = null; // topolo: the cell whose height is still to be chosen
let steps = []; // plakoto: the steps chosen so far, [from, to] in Black's numbers
let source = null; // plakoto: the point whose checker is to move
let isResigning = false;
let isSent = false; // one answer to one position

/* ---- Talking to the server ---- */

async function send(act, word = "") {
  if (isSent && act !== "again") {
    return;
  }
  isSent = true;
  try {
    const answer = await fetch("/act", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ act, word, ply: table ? table.ply || 0 : 0 }),
    });
    if (!answer.ok) {
      isSent = false;
    }
  } catch {
    isSent = false;
    setText(at("connection"), "The move did not reach the server.");
  }
}

/* ---- Targets: the points that can be clicked ---- */

function makeTargets() {
  const layer = at("targets");
  layer.replaceChildren();
  const picture = at("picture").querySelector("svg");
  if (!picture) {
    return;
  }
  layer.setAttribute("viewBox", picture.getAttribute("viewBox"));
  at("frame").classList.toggle("wide", game.drawing.game === "plakoto");
  game.targets.forEach(([x, y, width, height], place) => {
    const target = document.createElementNS(SVG, "rect");
    Object.entries({ x, y, width, height, class: "target", role: "button", tabindex: -1 }).forEach(([name, value]) =>
      target.setAttribute(name, value),
    );
    const dot = document.createElementNS(SVG, "circle");
    const isTall = height > width;
    // On a point with checkers the dot stands beyond them, towards the middle of the board.
    const isAbove = y + height / 2 < picture.viewBox.baseVal.height / 2;
    const dotY = !isTall ? y + height / 2 : isAbove ? y + height + 30 : y - 30;
    Object.entries({ cx: x + width / 2, cy: dotY, r: 4.5, class: "dot" }).forEach(([name, value]) =>
      dot.setAttribute(name, value),
    );
    target.addEventListener("click", () => choose(place));
    target.addEventListener("focus", () => rove(place));
    target.addEventListener("keydown", (event) => keyed(event, place));
    layer.append(target, dot);
  });
  rove(middleTarget());
}

const targetElements = () => Array.from(at("targets").querySelectorAll(".target"));

function middleTarget() {
  const count = game.targets.length;
  const side = Math.round(Math.sqrt(count));
  return side * side === count ? Math.floor(side / 2) * side + Math.floor(side / 2) : count - 1;
}

function rove(place) {
  const all = targetElements();
  if (all[focused]) {
    all[focused].setAttribute("tabindex", "-1");
  }
  focused = place;
  if (all[place]) {
    all[place].setAttribute("tabindex", "0");
  }
}

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function keyed(event, place) {
  if (event.key === "Enter" || event.key === " ") {
    event.preventDefault();
    choose(place);
  } else if (event.key === "Escape") {
    forgetChoice();
    showChoices();
  } else if (DIRECTIONS[event.key]) {
    event.preventDefault();
    const next = neighbour(place, ...DIRECTIONS[event.key]);
    if (next !== null) {
      rove(next);
      targetElements()[next].focus();
    }
  }
}

/* The nearest target in a direction, deviations to the side counted threefold. */
function neighbour(place, across, down) {
  const middle = ([x, y, width, height]) => [x + width / 2, y + height / 2];
  const [x, y] = middle(game.targets[place]);
  let best = null;
  let least = Infinity;
  game.targets.forEach((target, other) => {
    const [otherX, otherY] = middle(target);
    const along = (otherX - x) * across + (otherY - y) * down;
    const aside = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * across);
    if (along > 1 && along + 3 * aside < least) {
      least = along + 3 * aside;
      best = other;
    }
  });
  return best;
}

/* ---- Choosing a move ---- */

function forgetChoice() {
  chosenCell = null;
  steps = [];
  source = null;
}

const isPlakoto = () => game && game.drawing && game.drawing.game === "plakoto";

function choose(place) {
  const choices = table && table.choices;
  if (!choices) {
    return;
  }
  if (isPlakoto()) {
    choosePoint(place + 1);
    return;
  }
  const found = choices.points[place];
  if (!found) {
    const name = game.drawing.names[place];
    setText(at("trouble"), `${name} is no legal move here.`);
    return;
  }
  setText(at("trouble"), "");
  if (found.length === 1 && !found[0][0]) {
    send("answer", found[0][1]);
    return;
  }
  chosenCell = place;
  showChoices();
  const first = at("heights").querySelector("button");
  if (first) {
    first.focus();
  }
}

/* The steps that can follow those chosen so far: what is left of every play that holds all of them. */
function stepsLeft() {
  const left = [];
  const ended = [];
  table.choices.plays.forEach(([word, play]) => {
    const rest = play.map(([from, to]) => `${from}/${to}`);
    const holdsAll = steps.every(([from, to]) => {
      const found = rest.indexOf(`${from}/${to}`);
      if (found >= 0) {
        rest.splice(found, 1);
      }
      return found >= 0;
    });
    if (holdsAll && rest.length) {
      left.push(...rest.map((step) => step.split("/").map(Number)));
    } else if (holdsAll) {
      ended.push(word);
    }
  });
  return { left: left.filter(([from]) => hasChecker(from)), ended };
}

/* Whether the person has a checker on a point that is free to move, after the steps chosen so far. */
function hasChecker(point) {
  const moved = steps.reduce((sum, [from, to]) => sum + (to === point) - (from === point), 0);
  const firsts = table.choices.plays.some(([, play]) => play[0][0] === point || play.some(([from]) => from === point));
  return moved > 0 || (firsts && stood(point) + moved > 0);
}

function stood(point) {
  const words = game.drawing.words[table.state[point - 1]] || "";
  const count = /^(\d+) (Black|White) checker/.exec(words);
  return count && count[2] === table.titles[table.person] ? Number(count[1]) : 0;
}

function choosePoint(point) {
  const { left } = stepsLeft();
  const ways = left.filter(([from, to]) => from === source && to === point);
  if (source !== null && ways.length) {
    takeStep([source, point]);
  } else if (source === point) {
    // The same point once more: bear off if that can be, else let go.
    const off = left.some(([from, to]) => from === point && to === 0);
    if (off) {
      takeStep([point, 0]);
    } else {
      source = null;
      showChoices();
    }
  } else if (left.some(([from]) => from === point)) {
    source = point;
    setText(at("trouble"), "");
    showChoices();
  } else {
    setText(at("trouble"), source === null ? `No checker of yours can move from point ${point}.` : `No die leads there.`);
  }
}

function takeStep(step) {
  steps.push(step);
  source = null;
  setText(at("trouble"), "");
  const { left, ended } = stepsLeft();
  if (!left.length && ended.length) {
    send("answer", ended[0]);
  }
  showChoices();
}

function undoStep() {
  steps.pop();
  source = null;
  showChoices();
}

/* Giving up takes two presses. */
function setResigning(value) {
  isResigning = value;
  setText(at("resign"), value ? "Resign: are you sure?" : "Resign");
}

/* ---- What can be done, shown ---- */

function button(text, act, classes = "") {
  const element = made("button", classes, text);
  element.type = "button";
  element.addEventListener("click", act);
  return element;
}

function stepText([from, to]) {
  const own = (point) => (point === 0 ? "off" : table.person === 0 ? point : 25 - point);
  return `${own(from)}/${own(to)}`;
}

function showChoices() {
  const choices = table && table.choices;
  const all = targetElements();
  const may = new Set();
  const chosen = new Set();
  if (choices && isPlakoto()) {
    const { left } = stepsLeft();
    left.forEach(([from, to]) => {
      if (source === null) {
        may.add(from - 1);
      } else if (from === source) {
        may.add(to === 0 ? from - 1 : to - 1);
      }
    });
    if (source !== null) {
      chosen.add(source - 1);
    }
  } else if (choices) {
    Object.keys(choices.points).forEach((place) => may.add(Number(place)));
    if (chosenCell !== null) {
      chosen.add(chosenCell);
    }
  }
  all.forEach((target, place) => {
    target.classList.toggle("may", may.has(place));
    target.classList.toggle("chosen", chosen.has(place));
    target.setAttribute("aria-label", targetWords(place, may.has(place)));
    target.setAttribute("aria-disabled", String(!may.has(place)));
  });
  showHeights(choices);
  showWords(choices);
  showSteps(choices);
}

function targetWords(place, isLegal) {
  const stands = board ? game.drawing.words[board.state[place]] : "";
  return [game.drawing.names[place], stands, isLegal ? "can be chosen" : ""].filter(Boolean).join(", ");
}

function showHeights(choices) {
  const found = choices && chosenCell !== null ? choices.points[chosenCell] : null;
  at("heights").hidden = !found;
  const heights = found ? found.filter(([height]) => height) : [];
  at("heights").replaceChildren(
    ...heights.map(([height, word]) =>
      button(`Height ${height} on ${game.drawing.names[chosenCell]}`, () => send("answer", word), "first"),
    ),
  );
}

function showWords(choices) {
  const words = choices ? choices.words : [];
  const shown = words.length <= 12 ? words : [];
  const names = { pass: "Pass", button: "Take the button (½ point)" };
  at("words").replaceChildren(...shown.map((word) => button(names[word] || word, () => send("answer", word))));
  const listed = choices
    ? [...Object.values(choices.points).flat().map(([, word]) => word), ...choices.plays.map(([word]) => word), ...words]
    : [];
  at("legal").replaceChildren(
    ...listed.slice(0, 1000).map((word) => {
      const option = document.createElement("option");
      option.value = word;
      return option;
    }),
  );
}

function showSteps(choices) {
  at("steps").hidden = !(choices && choices.plays.length);
  if (!choices || !choices.plays.length) {
    return;
  }
  const made = steps.map(stepText).join(", ");
  const next = source === null ? "Choose a checker." : `Choose where the checker on ${stepText([source, 0]).split("/")[0]} goes.`;
  const off = source !== null && stepsLeft().left.some(([from, to]) => from === source && to === 0);
  const bear = off ? " Choose its point again to bear it off." : "";
  setText(at("steps-words"), `${made ? `Chosen: ${made}. ` : ""}${isSent ? "" : next + bear}`);
  at("undo-step").disabled = !steps.length || isSent;
}

function statusWords() {
  const titles = table.titles || ["Black", "White"];
  switch (table.phase) {
    case "starting":
      return "The engine is being started.";
    case "offer":
      return "Propose komi: White's extra points. The engine then chooses its side.";
    case "choice":
      return `Komi ${table.question} is proposed. Choose your side.`;
    case "person":
      return `Your turn, ${titles[table.person]}.`;
    case "over": {
      const won = table.result.startsWith("BW"[table.person]) ? " You have won." : "";
      const lost = table.result.startsWith("BW"[1 - table.person]) ? " The engine has won." : "";
      return `The game is over: ${table.result}.${won}${lost}`;
    }
    default:
      return "The engine is thinking.";
  }
}

function drawBoard() {
  if (table.state && game && game.drawing) {
    if (!board) {
      board = new ArenaBoard(at("picture"), game.drawing);
    }
    board.show(table.state);
    const words = board.alternative();
    board.svg.setAttribute("aria-label", `${game.drawing.title}. ${words}`);
    setText(at("alternative"), words);
  } else if (table.diagram) {
    at("picture").replaceChildren(made("pre", "", table.diagram.join("\n")));
  }
  // Before pie is settled there is no komi, and no colour is anybody's.
  const isOpen = table.phase === "offer" || table.phase === "choice";
  setText(at("caption"), isOpen ? "" : table.caption || "");
}

function showScore() {
  const moves = table.moves || [];
  const list = at("score");
  while (list.children.length > moves.length) {
    list.lastChild.remove();
  }
  moves.forEach((word, place) => {
    if (list.children[place]) {
      setText(list.children[place], word);
    } else {
      list.append(made("li", "", word));
    }
  });
  list.scrollTop = list.scrollHeight;
}

function showTable() {
  const isAsked = table.phase === "person";
  setText(at("status"), statusWords());
  if (table.phase !== "starting") {
    drawBoard();
  }
  (table.names || []).forEach((name, side) => {
    const line = at(`side-${side}`);
    const who = side === table.person ? "you" : "engine";
    setText(line.children[0], `${table.titles[side]}: ${name} (${who})`);
    line.classList.toggle("moves", table.mover === side && ["person", "engine"].includes(table.phase));
  });
  showScore();
  const said = (table.said || [])[1 - (table.person || 0)];
  setText(at("said"), said ? `The engine says ${said}` : "");
  at("offer").hidden = table.phase !== "offer";
  at("sides").hidden = table.phase !== "choice";
  at("typed").hidden = !isAsked;
  at("back").disabled = !table.can_take_back;
  at("resign").disabled = !isAsked;
  setText(at("back"), table.taken_back ? `Take back (${table.taken_back} so far)` : "Take back");
  if (table.trouble) {
    setText(at("trouble"), table.trouble);
  }
  showChoices();
  tick();
}

function tick() {
  if (!table || !table.clocks) {
    return;
  }
  table.clocks.forEach((clock, side) => {
    const runs = table.mover === side && (table.phase === "person" || table.phase === "engine");
    setText(at(`side-${side}`).children[1], clockWords(clock, runs ? performance.now() - toldAt : 0));
  });
}

/* ---- What the server tells ---- */

const told = {
  game(value) {
    const isNew = !game;
    game = value;
    if (isNew && game.drawing) {
      makeTargets();
    }
    if (table) {
      showTable();
    }
  },

  table(value) {
    const isNews = !table || table.ply !== value.ply || table.phase !== value.phase || table.taken_back !== value.taken_back;
    table = value;
    toldAt = performance.now();
    if (isNews) {
      isSent = false;
      forgetChoice();
      setResigning(false);
      setText(at("trouble"), "");
    }
    showTable();
  },

  kept(value) {
    const isOver = value !== null;
    setText(at("kept"), isOver ? (value.words ? `The game is ${value.words}.` : "") : "");
    if (isOver && value.trouble) {
      setText(at("trouble"), value.trouble);
      setText(at("status"), "The game is over.");
      isSent = true;
    }
    const titles = (table && table.titles) || ["Black", "White"];
    ["black", "white"].forEach((colour, side) => {
      at(`again-${colour}`).hidden = !isOver;
      setText(at(`again-${colour}`), `Another game as ${titles[side]}`);
    });
  },
};

at("undo-step").addEventListener("click", undoStep);
at("back").addEventListener("click", () => send("take back"));
at("resign").addEventListener("click", () => {
  if (isResigning) {
    send("resign");
  } else {
    setResigning(true);
  }
});
at("resign").addEventListener("blur", () => setResigning(false));
["black", "white"].forEach((colour) => at(`again-${colour}`).addEventListener("click", () => send("again", colour)));
at("offer").addEventListener("submit", (event) => {
  event.preventDefault();
  send("answer", at("komi").value.trim());
});
at("typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const word = at("word").value.trim();
  if (!word) {
    return;
  }
  at("word").value = "";
  const legal = Array.from(at("legal").children).map((option) => option.value);
  const found = legal.find((each) => each.toLowerCase() === word.toLowerCase());
  if (!found && !isPlakoto()) {
    setText(at("trouble"), `${word} is no legal move here.`);
    return;
  }
  setText(at("trouble"), "");
  send("answer", found || word);
});
at("sides").append(
  button("Black", () => send("answer", "black"), "first"),
  button("White", () => send("answer", "white"), "first"),
);
at("dots").addEventListener("change", () => at("targets").classList.toggle("quiet", !at("dots").checked));

const stream = new EventSource("/events");
Object.keys(told).forEach((name) => stream.addEventListener(name, (event) => told[name](JSON.parse(event.data))));
stream.addEventListener("open", () => setText(at("connection"), ""));
stream.addEventListener("error", () =>
  setText(at("connection"), "The connection to this page's server is lost; the game may have been ended."),
);
window.setInterval(tick, 100);
