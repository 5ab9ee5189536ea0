"use strict";

/* Clocks that run between two words of the server. */

function clockText(microseconds) {
  if (microseconds === null || microseconds === undefined) {
    return "no limit";
  }
  const seconds = microseconds / 1e6;
  if (seconds < 20) {
    return `${(Math.floor(seconds * 10) / 10).toFixed(1)} s`;
  }
  const whole = Math.floor(seconds);
  const minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, "0");
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

/* What a side's clock shows; `runningMs` is how long it has been running since it was told. */
function clockWords(clock, runningMs) {
  if (!clock) {
    return "";
  }
  const left = clock.us === null ? null : Math.max(clock.us - runningMs * 1000, 0);
  const more = [];
  if (clock.periods !== null) {
    more.push(`${clock.periods} period${clock.periods === 1 ? "" : "s"}`);
  } else if (clock.moves) {
    more.push(`${clock.moves} move${clock.moves === 1 ? "" : "s"}`);
  }
  return clockText(left) + (more.length ? ` (${more.join(", ")})` : "");
}

/* A new element with a class and a text; the one way in which pages here are made. */
function made(tag, classes, text) {
  const element = document.createElement(tag);
  if (classes) {
    element.className = classes;
  }
  if (text !== undefined) {
    element.textContent = text;
  }
  return element;
}

function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}
