"use strict";

/* The door: takes the token from the address's fragment, which no server is sent, or from the field. */

async function enter(token) {
  const answer = await fetch("/enter", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) {
    location.replace("/");
  } else {
    document.getElementById("answer").textContent = "This is not the token.";
  }
}

const told = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
if (told) {
  enter(told);
}
document.getElementById("enter").addEventListener("submit", (event) => {
  event.preventDefault();
  enter(document.getElementById("token").value.trim());
});
