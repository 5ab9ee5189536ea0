"use strict";

/* The report's list of games and its replays.
 *
 * Data come by script files that call arenaGames (the list of one event) and arenaGame (one game): a page opened
 * from a disk may not fetch. All texts reach the page as text nodes, never as markup.
 *
 * Addresses: `#1-2.1a` opens a game of the first event, `#1-2.1a/30` its turn 30, `#e2:1-2.1a/30` the same of the
 * second event. Any other address is a place in the report.
 */

const ROWS_A_PAGE = 50;
const GAMES_A_FOLDER = 1000;
const STEP_MS = 600;

const events = new Map();
const waiting = new Map();
let shown = null;
let reportScroll = 0;

function element(name, text, attributes) {
  const made = document.createElement(name);
  if (text !== undefined && text !== null) {
    made.textContent = text;
  }
  for (const [key, value] of Object.entries(attributes || {})) {
    made.setAttribute(key, value);
  }
  return made;
}

function drawn(name, attributes, text) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  if (text !== undefined) {
    made.textContent = text;
  }
  return made;
}

function byId(id) {
  return document.getElementById(id);
}

function load(path, failed) {
  const script = element("script", null, { src: path });
  script.addEventListener("error", failed);
  script.addEventListener("load", () => script.remove());
  document.head.append(script);
}

/* ---- Lists of games ---- */

class GameList {
  constructor(article, data) {
    this.article = article;
    this.prefix = article.dataset.prefix;
    this.data = data;
    this.places = new Map(data.rows.map((row, place) => [row[0], place]));
    this.page = 0;
    this.found = data.rows.map((_, place) => place);
    this.body = article.querySelector(".list tbody");
    this.pager = article.querySelector(".pager");
    this.form = article.querySelector(".filter");
    if (this.body) {
      this.begin();
    }
  }

  begin() {
    const { engine, other, reason } = this.form.elements;
    this.data.names.forEach((name, place) => {
      const short = name.length > 40 ? `${name.slice(0, 39)}…` : name;
      engine.append(element("option", short, { value: place }));
      other.append(element("option", short, { value: place }));
    });
    for (const word of Array.from(new Set(this.data.rows.map((row) => row[5]))).sort()) {
      reason.append(element("option", word, { value: word }));
    }
    this.form.hidden = false;
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.form.addEventListener("input", () => this.filter());
    this.show();
  }

  filter() {
    const wanted = Object.fromEntries(new FormData(this.form));
    const engines = [wanted.engine, wanted.other].filter((value) => value !== "").map(Number);
    this.found = [];
    this.data.rows.forEach((row, place) => {
      const sides = [row[2], row[3]];
      if (engines.every((engine) => sides.includes(engine))
          && (engines.length < 2 || engines[0] !== engines[1])
          && (!wanted.reason || row[5] === wanted.reason)
          && row[0].includes(wanted.id.trim())) {
        this.found.push(place);
      }
    });
    this.page = 0;
    this.show();
  }

  address(place, ply) {
    return `#${this.prefix}${encodeURIComponent(this.data.rows[place][0])}${ply === undefined ? "" : `/${ply}`}`;
  }

  show() {
    const pages = Math.max(1, Math.ceil(this.found.length / ROWS_A_PAGE));
    const start = this.page * ROWS_A_PAGE;
    const rows = this.found.slice(start, start + ROWS_A_PAGE).map((place) => this.row(place));
    this.body.replaceChildren(...rows);
    const last = start + rows.length;
    const said = this.found.length
      ? `Games ${start + 1} to ${last} of ${this.found.length}, page ${this.page + 1} of ${pages}.`
      : "No such game.";
    const buttons = [["First", 0], ["Back", this.page - 1], ["Next", this.page + 1], ["Last", pages - 1]].map(
      ([text, page]) => {
        const button = element("button", text, { type: "button" });
        button.disabled = page < 0 || page >= pages || page === this.page;
        button.addEventListener("click", () => {
          this.page = page;
          this.show();
          this.focus(text);
        });
        return button;
      });
    this.pager.replaceChildren(...(pages > 1 ? buttons : []), element("span", said));
  }

  focus(text) {
    const buttons = Array.from(this.pager.querySelectorAll("button"));
    const same = buttons.find((button) => button.textContent === text && !button.disabled);
    (same || buttons.find((button) => !button.disabled) || this.form).focus();
  }

  row(place) {
    const [id, round, black, white, result, reason, margin, plies, spent] = this.data.rows[place];
    const line = element("tr");
    const first = element("td");
    first.append(element("a", id, { href: this.address(place) }));
    const signed = margin === null ? "" : margin > 0 ? `+${margin}` : `${margin}`;
    const short = (name) => (name.length > 40 ? `${name.slice(0, 39)}…` : name);
    line.append(
      first,
      element("td", round, { class: "right" }),
      element("td", short(this.data.names[black])),
      element("td", short(this.data.names[white])),
      element("td", result),
      element("td", reason),
      element("td", signed, { class: "right" }),
      element("td", plies, { class: "right" }),
      element("td", spent.toFixed(2), { class: "right" }),
    );
    return line;
  }
}

window.arenaGames = function arenaGames(data) {
  const article = document.querySelector(`article[data-event="${data.event}"]`);
  events.set(data.event, new GameList(article, data));
  route();
};

/* ---- One game ---- */

class Replay {
  constructor(list, place, data) {
    this.list = list;
    this.place = place;
    this.data = data;
    this.ply = -1;
    this.last = data.frames.length - 1;
    this.timer = null;
    this.titles = colours(list);
    this.build();
  }

  build() {
    const data = this.data;
    byId("replay-title").textContent =
      `Game ${data.id}: ${data.names[0]} (${this.titles[0]}) against ${data.names[1]} (${this.titles[1]})`;
    this.buildBoard();
    byId("replay-facts").replaceChildren(
      ...data.facts.flatMap(([name, text]) => [element("dt", name), element("dd", text)]));
    byId("replay-broken").hidden = !data.broken;
    byId("replay-broken").textContent = data.broken || "";
    byId("replay-evidence").replaceChildren(...data.evidence.flatMap((kept) => this.evidence(kept)));
    byId("replay-moves").classList.toggle("wide", data.dice.length > 0);
    byId("replay-moves").replaceChildren(...data.moves.map((move, turn) => this.move(move, turn + 1)));
    byId("replay-ply").max = this.last;
    this.buildClocks();
    this.buildGraphs();
  }

  buildBoard() {
    const holder = byId("replay-board");
    const template = this.list.article.querySelector("template.board");
    holder.replaceChildren(template.content.cloneNode(true));
    this.board = this.list.data.board && holder.querySelector("svg")
      ? new ArenaBoard(holder, this.list.data.board) : null;
    if (this.board) {
      this.board.svg.setAttribute("aria-describedby", "replay-caption replay-words");
    } else {
      this.text = element("pre", "");
      holder.replaceChildren(this.text);
    }
  }

  colour(turn) {
    return (this.data.first + turn - 1) % 2;
  }

  move(move, turn) {
    const line = element("li");
    const link = element("a", null, { href: this.list.address(this.place, turn) });
    const roll = this.data.dice[turn - 1];
    link.append(element("span", `${turn}.`, { class: "number" }));
    link.append(` ${this.titles[this.colour(turn)][0]} ${roll ? `${roll.join("-")}: ` : ""}${move}`);
    line.append(link);
    return line;
  }

  evidence(kept) {
    const parts = [element("h3", `Evidence on ${this.titles[kept.side]}`), element("p", kept.message, { class: "warning" })];
    for (const [name, text] of [["In question", kept.offending], ["Process", kept.exit],
      ["Standard error", kept.stderr.join("\n")], ["Exchange", kept.exchange.join("\n")]]) {
      if (text) {
        parts.push(element("p", `${name}:`), element("pre", text, { tabindex: "0" }));
      }
    }
    return parts;
  }

  /* Boards change by steps: forward step by step, back from the start. */
  goTo(ply) {
    const target = Math.max(0, Math.min(this.last, ply));
    if (target === this.ply) {
      return;
    }
    if (this.board) {
      if (target < this.ply) {
        this.board.show(new Array(this.board.slots.length).fill(0));
        this.ply = -1;
      }
      for (let step = this.ply + 1; step <= target; step += 1) {
        this.board.change(this.data.frames[step][0]);
      }
    } else {
      this.text.textContent = this.data.frames[target][0].join("\n");
    }
    this.ply = target;
    this.tell();
  }

  tell() {
    const { data, ply } = this;
    byId("replay-caption").textContent = data.frames[ply][1];
    const parts = [ply ? `Turn ${ply}: ${this.titles[this.colour(ply)]} ${data.moves[ply - 1]}` : "At the start"];
    if (ply && ply <= data.opening) {
      parts.push("opening, played by the referee");
    } else if (ply && data.time[ply - 1] !== null && data.time[ply - 1] !== undefined) {
      parts.push(`${(data.time[ply - 1] / 1000).toFixed(3)} s`);
    }
    if (ply && data.said && data.said[ply - 1]) {
      parts.push(data.said[ply - 1]);
    }
    if (ply === this.last) {
      parts.push(`result ${data.result}`);
    }
    byId("replay-status").textContent = `${parts.join("; ")}.`;
    byId("replay-ply").value = ply;
    byId("replay-ply").setAttribute("aria-valuetext", parts[0]);
    byId("replay-of").textContent = `${ply} of ${this.last}`;
    byId("replay-words").textContent = this.board ? this.board.alternative() : "";
    for (const current of byId("replay-moves").querySelectorAll("[aria-current]")) {
      current.removeAttribute("aria-current");
    }
    const link = byId("replay-moves").children[ply - 1];
    if (link) {
      link.firstElementChild.setAttribute("aria-current", "step");
      const list = byId("replay-moves");
      list.scrollTop += link.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
    }
    this.tellClocks();
    for (const cursor of document.querySelectorAll("#replay-graphs .cursor")) {
      const at = this.x(ply);
      cursor.setAttribute("d", `M${at} 0V100`);
    }
    for (const button of document.querySelectorAll(".controls button")) {
      const go = button.dataset.go;
      button.disabled = (ply === 0 && /first|back/.test(go)) || (ply === this.last && /last|forward/.test(go));
    }
  }

  /* ---- Clocks ---- */

  buildClocks() {
    byId("replay-clocks").replaceChildren(...[0, 1].map((side) => {
      const line = element("tr");
      line.append(
        element("th", `${this.titles[side]}: ${this.data.names[side]}`, { scope: "row" }),
        element("td", "", { class: "right" }),
        element("td", "", { class: "right" }));
      return line;
    }));
  }

  tellClocks() {
    const used = [0, 0];
    const left = this.data.start.slice();
    for (let turn = 1; turn <= this.ply; turn += 1) {
      const side = this.colour(turn);
      used[side] += this.data.time[turn - 1] || 0;
      left[side] = this.data.left[turn - 1] ?? left[side];
    }
    Array.from(byId("replay-clocks").rows).forEach((line, side) => {
      line.classList.toggle("to-move", this.ply < this.last && this.colour(this.ply + 1) === side);
      line.cells[1].textContent = left[side] || "no limit";
      line.cells[2].textContent = (used[side] / 1000).toFixed(3);
    });
  }

  /* ---- Graphs of what the engines said ---- */

  x(ply) {
    return this.last ? (300 * ply) / this.last : 0;
  }

  buildGraphs() {
    const graphs = [];
    const { winrate, score } = this.data;
    if (winrate && winrate.some((value) => value !== null)) {
      graphs.push(this.graph(winrate, 0, 1, `${this.titles[0]}'s chance of winning, as the engines said`, ["100 %", "50 %", "0 %"]));
    }
    if (score && score.some((value) => value !== null)) {
      const most = Math.max(1, ...score.filter((value) => value !== null).map(Math.abs));
      graphs.push(this.graph(score, -most, most, `Expected margin for ${this.titles[0]}, as the engines said`,
        [`+${most}`, "0", `-${most}`]));
    }
    byId("replay-graphs").replaceChildren(...graphs.flat());
  }

  graph(values, low, high, title, labels) {
    const svg = drawn("svg", { class: "graph", viewBox: "-4 -8 308 116", preserveAspectRatio: "none", role: "img", "aria-label": title });
    svg.append(drawn("path", { d: "M0 50H300", stroke: "#767676", "stroke-dasharray": "3 3", "vector-effect": "non-scaling-stroke" }));
    const looks = [{ stroke: "#1a1a1a", "stroke-width": 2 }, { stroke: "#0072b2", "stroke-width": 2, "stroke-dasharray": "6 3" }];
    for (const side of [0, 1]) {
      let path = "";
      values.forEach((value, place) => {
        if (value !== null && this.colour(place + 1) === side) {
          const y = 100 - (100 * (value - low)) / (high - low);
          path += `${path ? "L" : "M"}${this.x(place + 1).toFixed(1)} ${y.toFixed(1)}`;
        }
      });
      svg.append(drawn("path", { d: path || "M0 0", fill: "none", "vector-effect": "non-scaling-stroke", ...looks[side] }));
    }
    svg.append(drawn("path", { class: "cursor", d: "M0 0V100", stroke: "#d55e00", "stroke-width": 2, "vector-effect": "non-scaling-stroke" }));
    svg.addEventListener("click", (event) => {
      const box = svg.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * 308 - 4;
      open(this.list, this.place, Math.round((at / 300) * this.last));
    });
    const caption = element("p", `${title}: top ${labels[0]}, middle ${labels[1]}, bottom ${labels[2]}. `
      + `Solid: the engine of ${this.titles[0]}; dashed: of ${this.titles[1]}.`, { class: "note" });
    return [svg, caption];
  }

  /* ---- Steps ---- */

  go(where) {
    const target = {
      first: 0, back10: this.ply - 10, back: this.ply - 1, forward: this.ply + 1, forward10: this.ply + 10, last: this.last,
    }[where];
    if (where === "play") {
      this.play();
    } else {
      this.stop();
      open(this.list, this.place, Math.max(0, Math.min(this.last, target)));
    }
  }

  play() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.ply === this.last) {
      this.goTo(0);
    }
    document.querySelector('[data-go="play"]').textContent = "Stop";
    this.timer = setInterval(() => {
      if (this.ply >= this.last) {
        this.stop();
      } else {
        open(this.list, this.place, this.ply + 1);
      }
    }, STEP_MS);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    document.querySelector('[data-go="play"]').textContent = "Play";
  }
}

function colours(list) {
  const heads = list.article.querySelectorAll(".list thead th");
  return [heads[2].textContent, heads[3].textContent];
}

window.arenaGame = function arenaGame(event, place, data) {
  const done = waiting.get(`${event}/${place}`);
  waiting.delete(`${event}/${place}`);
  if (done) {
    done(data);
  }
};

/* Show a turn without a new entry in the browser's history. */
function open(list, place, ply) {
  history.replaceState(null, "", list.address(place, ply));
  route();
}

function leave() {
  if (shown) {
    shown.stop();
    shown = null;
  }
  if (byId("report").hidden) {
    byId("replay").hidden = true;
    byId("report").hidden = false;
    window.scrollTo({ top: reportScroll, behavior: "instant" });
  }
}

function route() {
  let hash = location.hash.slice(1);
  try {
    hash = decodeURIComponent(hash);
  } catch {
    // A broken escape: taken as it stands, it names no game.
  }
  const [, number, whole] = /^(?:e([0-9]+):)?([^]*)$/.exec(hash);
  const list = events.get(number ? Number(number) : 1);
  const [, id, ply] = /^([^]*?)(?:\/([0-9]{1,6}))?$/.exec(whole);
  const place = list ? list.places.get(id) : undefined;
  if (place === undefined) {
    leave();
    const target = hash && byId(hash);
    if (target && target.id !== "report") {
      target.scrollIntoView();
    }
    return;
  }
  if (shown && shown.list === list && shown.place === place) {
    shown.goTo(ply === undefined ? shown.ply : Number(ply));
    return;
  }
  const event = list.data.event;
  waiting.set(`${event}/${place}`, (data) => {
    leave();
    reportScroll = window.scrollY;
    byId("report").hidden = true;
    byId("replay").hidden = false;
    shown = new Replay(list, place, data);
    shown.goTo(ply === undefined ? 0 : Number(ply));
    window.scrollTo(0, 0);
    byId("replay").focus({ preventScroll: true });
  });
  const folder = String(Math.floor(place / GAMES_A_FOLDER)).padStart(3, "0");
  load(`${event}/games/${folder}/${place}.js`, () => {
    leave();
    byId("report-problem").textContent = `The file of game ${id} is missing beside this page.`;
    byId("report-problem").hidden = false;
    byId("report-problem").scrollIntoView();
  });
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-go]");
  if (button && shown) {
    shown.go(button.dataset.go);
  }
});

document.addEventListener("keydown", (event) => {
  const keys = {
    ArrowLeft: "back", ArrowRight: "forward", PageUp: "back10", PageDown: "forward10", Home: "first", End: "last", " ": "play",
  };
  const isTyping = event.target.closest("input, select, textarea, button, a, summary, pre");
  const go = keys[event.key];
  if (!shown || !go || event.altKey || event.ctrlKey || event.metaKey) {
    return;
  }
  // The slider moves by itself, and Space presses whatever has the focus.
  if (isTyping && (event.key === " " || event.target.matches("input, select, textarea, pre"))) {
    return;
  }
  event.preventDefault();
  shown.go(go);
});

byId("replay-ply").addEventListener("input", (event) => {
  if (shown) {
    open(shown.list, shown.place, Number(event.target.value));
  }
});

window.addEventListener("hashchange", route);

for (const article of document.querySelectorAll("article[data-event]")) {
  if (article.querySelector(".list")) {
    load(`${article.dataset.event}/games.js`, () => {
      article.querySelector(".pager").textContent = "The list of games is missing beside this page.";
    });
  }
}
