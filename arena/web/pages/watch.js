"use strict";

/* The live page of an event. Everything received is put in as text or as numbers, never as markup. */

const only = document.body.dataset.game || "";
const cards = new Map();
let drawings = {};
let colours = ["Black", "White"];
const endWords = {
  finished: "Every game has been played.",
  stopped: "The run was stopped before its last game; it can be gone on with.",
  "broken off": "The run was broken off: what was being played is played again when it is gone on with.",
};
let games = { shown: [], others: [], count: 0 };
let state = "";

const at = (id) => document.getElementById(id);

function durationText(seconds) {
  if (seconds < 60) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) {
    return `${minutes} min ${seconds % 60} s`;
  }
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} days ${hours % 24} h`;
}

function numberText(count) {
  return count.toLocaleString("en");
}

/* ---- Tables ---- */

function fillTable(table, caption, headers, rows, isNumber) {
  const head = made("tr");
  headers.forEach((text, place) => {
    const cell = made("th", isNumber(place) ? "number" : "", text);
    cell.scope = "col";
    head.append(cell);
  });
  const body = made("tbody");
  rows.forEach((row) => {
    const line = made("tr");
    row.forEach((content, place) => {
      const isName = content instanceof HTMLElement && content.className === "long";
      const cell = made("td", isNumber(place) ? "number" : isName ? "name" : "");
      cell.append(content);
      line.append(cell);
    });
    body.append(line);
  });
  const top = made("thead");
  top.append(head);
  table.replaceChildren(made("caption", "hidden-words", caption), top, body);
}

function nameElement(name) {
  const element = made("span", "long", name);
  if (name.length > 40) {
    element.title = name;
  }
  return element;
}

function gameLink(id) {
  const link = made("a", "", id);
  link.href = `/game/${encodeURIComponent(id)}`;
  return link;
}

/* ---- Boards ---- */

class Card {
  constructor(id) {
    this.element = made("article", "card");
    this.board = null;
    this.last = null;
    this.toldAt = performance.now();
    const head = made("div", "head");
    this.title = made("h3");
    this.title.append(gameLink(id));
    this.ply = made("span", "soft");
    head.append(this.title, this.ply);
    this.sides = [0, 1].map(() => {
      const line = made("div", "side");
      line.append(made("span", "long"), made("span", "clock"));
      return line;
    });
    this.picture = made("div");
    this.caption = made("p", "caption");
    this.line = made("p", "moves-line soft");
    this.said = made("p", "moves-line soft");
    this.note = made("p", "warn");
    this.element.append(head, this.sides[0], this.picture, this.sides[1], this.caption, this.line, this.said, this.note);
  }

  show(game) {
    this.last = game;
    this.toldAt = performance.now();
    const titles = game.titles || colours;
    (game.names || ["", ""]).forEach((name, side) => {
      const [label] = this.sides[side].children;
      setText(label, `${titles[side]}: ${name}`);
      label.title = name;
      this.sides[side].classList.toggle("moves", game.mover === side);
    });
    setText(this.ply, game.result ? `${game.result}, ${game.ply} turns` : `turn ${(game.ply || 0) + 1}`);
    this.draw(game);
    setText(this.caption, game.caption || "");
    const moves = game.moves || [];
    setText(this.line, moves.length ? `Last moves: ${moves.join(" ")}` : "");
    const said = (game.said || []).map((words, side) => (words ? `${titles[side]} says ${words}` : "")).filter(Boolean);
    setText(this.said, said.join("; "));
    let note = game.trouble || "";
    if (game.missing) {
      note = "There is no such game, or it has not been played yet.";
    } else if (game.over) {
      note = "This game is over.";
    } else if (game.silent) {
      note = "No news of this game for some seconds.";
    }
    setText(this.note, note);
    this.element.classList.toggle("over", game.over === true);
    this.tick();
  }

  draw(game) {
    const drawing = drawings[game.board];
    if (game.state && drawing) {
      if (!this.board) {
        // What the slots point to stands once in the page, in the hidden picture that is copied here.
        const hidden = Array.from(document.querySelectorAll("[data-board]"));
        const svg = hidden.find((each) => each.dataset.board === game.board).querySelector("svg").cloneNode(true);
        svg.querySelector("defs").remove();
        this.picture.replaceChildren(svg);
        this.board = new ArenaBoard(this.picture, drawing);
      }
      this.board.show(game.state);
      this.board.svg.setAttribute("aria-label", `${drawing.title}. ${this.board.alternative()}`);
    } else if (game.diagram) {
      this.board = null;
      this.picture.replaceChildren(made("pre", "", game.diagram.join("\n")));
    }
  }

  tick() {
    const game = this.last;
    (game.clocks || []).forEach((clock, side) => {
      const running = game.mover === side && !game.silent && !game.over ? performance.now() - this.toldAt : 0;
      setText(this.sides[side].children[1], clockWords(clock, running));
    });
  }
}

function showBoard(game) {
  if (!cards.has(game.id)) {
    cards.set(game.id, new Card(game.id));
  }
  cards.get(game.id).show(game);
  arrange();
}

/* Put the cards into the server's order: a game that is new stands where one that is over stood. */
function arrange() {
  const shown = only ? [only] : games.shown;
  const wanted = shown.filter((id) => cards.has(id)).map((id) => cards.get(id).element);
  const present = Array.from(at("boards").children);
  if (wanted.length !== present.length || wanted.some((element, place) => element !== present[place])) {
    at("boards").replaceChildren(...wanted);
  }
  if (!only) {
    setText(at("boards-title"), games.count || state === "running" ? "Games in progress" : "No game in progress");
    const none = endWords[state] || "No moves are being received just now.";
    setText(at("no-games"), games.shown.length ? "" : none);
  }
}

/* ---- What the server tells ---- */

const told = {
  event(event) {
    const shown = Array.from(document.querySelectorAll("[data-board]"), (each) => each.dataset.board);
    drawings = Object.fromEntries(Object.entries(event.drawings).filter(([name]) => shown.includes(name)));
    colours = event.colours;
    setText(at("rules"), `${event.rules}; ${event.format}, ${event.engines} engines, ${event.time}`);
    cards.forEach((card) => card.last && card.show(card.last));
  },

  progress(progress) {
    const total = progress.total === null ? progress.played : progress.total;
    const of = progress.total === null ? "" : ` of ${numberText(total)}`;
    const games = progress.played === 1 && !of ? "game" : "games";
    const words = [`${numberText(progress.played)}${of} ${games} played`, progress.state];
    if (progress.per_minute !== null) {
      words.push(`${progress.per_minute} games a minute`);
    }
    if (progress.left_s !== null) {
      words.push(`about ${durationText(progress.left_s)} left`);
    }
    if (progress.annulled) {
      words.push(`${progress.annulled} annulled`);
    }
    if (progress.void) {
      words.push(`${progress.void} void and played again`);
    }
    state = progress.state;
    setText(at("progress"), words.join(", "));
    at("bar").hidden = progress.total === null;
    at("bar").max = Math.max(total, 1);
    at("bar").value = progress.played;
    arrange();
  },

  standings(table) {
    const isName = (place) => place === table.name_at;
    const rows = table.rows.map((row) => row.map((text, place) => (isName(place) ? nameElement(text) : text)));
    fillTable(at("standings"), table.title, table.headers, rows, (place) => !isName(place));
    setText(at("standings-title"), table.title);
    const more = table.more ? ` ${table.more} more rows are not shown.` : "";
    setText(at("standings-note"), `${numberText(table.counted)} games counted. ${table.note}${more}`);
  },

  results(rows) {
    const headers = ["Game", colours[0], colours[1], "Result", "Reason", "Turns", "Ended (UTC)"];
    const lines = rows.map((game) => {
      const reason = game.fault ? `${game.reason} (fault of ${game.fault})` : game.reason;
      const names = [nameElement(game.black), nameElement(game.white)];
      return [gameLink(game.id), ...names, game.result, reason, String(game.plies), game.ended];
    });
    fillTable(at("results"), "Last results", headers, lines, (place) => place === 5);
    if (rows.length) {
      const [newest] = rows;
      setText(at("newest"), `Game ${newest.id} ended: ${newest.result}, ${newest.reason}.`);
    }
  },

  panels(panels) {
    at("panels").replaceChildren(
      ...panels.map((panel) => {
        const section = made("section");
        const list = made("ul");
        list.append(...panel.lines.map((line) => made("li", "", line)));
        section.append(made("h2", "", panel.title), list);
        return section;
      }),
    );
  },

  games(told) {
    games = told;
    const others = told.others.map((game) => [
      gameLink(game.id),
      nameElement(game.names[0]),
      nameElement(game.names[1]),
      String(game.ply),
    ]);
    if (others.length) {
      const table = made("table");
      fillTable(table, "Further games in progress", ["Game", colours[0], colours[1], "Turns"], others, (place) => place === 3);
      const frame = made("div", "table");
      frame.append(table);
      at("others").replaceChildren(made("h3", "", "Further games in progress"), frame);
    } else {
      at("others").replaceChildren();
    }
    Array.from(cards.keys()).filter((id) => !games.shown.includes(id)).forEach((id) => cards.delete(id));
    arrange();
  },

  board: showBoard,

  trouble(words) {
    setText(at("trouble"), words ? `The results cannot be read just now: ${words}` : "");
  },

  listening(words) {
    setText(at("listening"), words || "");
  },
};

function connect() {
  const source = new EventSource(only ? `/events?game=${encodeURIComponent(only)}` : "/events");
  Object.keys(told).forEach((name) => {
    source.addEventListener(name, (event) => {
      const value = JSON.parse(event.data);
      const hasPlace = !only || ["event", "board", "trouble", "listening"].includes(name);
      if (hasPlace) {
        told[name](value);
      }
    });
  });
  source.addEventListener("open", () => setText(at("connection"), ""));
  source.addEventListener("error", () => {
    setText(at("connection"), "The connection to this page's server is lost; what you see is what was last told.");
    if (source.readyState === EventSource.CLOSED) {
      window.setTimeout(connect, 5000);
    }
  });
}

connect();
window.setInterval(() => cards.forEach((card) => card.last && card.tick()), 100);
