"use strict";

/* A board on a page: the SVG that reports/boards made, whose slots are pointed at other symbols.
 *
 *   const board = new ArenaBoard(element, drawing);   // element holds the skeleton, drawing is `as_data()`
 *   board.show([0, 0, 1, …]);                         // a whole state: one symbol a slot
 *   board.change([12, 1, 30, 5]);                     // slot, symbol, slot, symbol, …
 *   board.alternative();                              // the board in words
 *
 * Nothing here knows a game, and nothing takes markup from data: only numbers reach the picture.
 */
class ArenaBoard {
  constructor(element, drawing) {
    this.drawing = drawing;
    this.svg = element.querySelector("svg");
    this.slots = Array.from(this.svg.querySelectorAll("use.slot"));
    this.state = new Array(this.slots.length).fill(0);
    this.svg.setAttribute("aria-label", drawing.title);
  }

  show(state) {
    for (let slot = 0; slot < this.slots.length; slot += 1) {
      this.put(slot, state[slot]);
    }
  }

  change(changes) {
    for (let place = 0; place + 1 < changes.length; place += 2) {
      this.put(changes[place], changes[place + 1]);
    }
  }

  put(slot, symbol) {
    if (this.state[slot] !== symbol && this.slots[slot] && this.drawing.words[symbol] !== undefined) {
      this.state[slot] = symbol;
      this.slots[slot].setAttribute("href", `#${this.drawing.game}-${symbol}`);
    }
  }

  alternative() {
    const places = new Map();
    this.state.forEach((symbol, slot) => {
      const words = this.drawing.words[symbol];
      if (words) {
        places.set(words, (places.get(words) || []).concat(this.drawing.names[slot] || []));
      }
    });
    const said = Array.from(places.keys()).sort().map((words) => {
      const names = places.get(words).join(", ");
      return names ? `${words}: ${names}.` : `${words}.`;
    });
    return said.join(" ") || "The board is empty.";
  }
}
