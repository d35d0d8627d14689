"use strict";
// Of the form for a new table only what goes with the rules that are chosen is shown. Without this
// the form has all of it, and the server says what does not go together.

(() => {
  const rules = document.getElementById("rules");
  const players = document.getElementById("players");

  function fit() {
    const chosen = rules.selectedOptions[0];
    const counts = chosen.dataset.players.split(" ");
    for (const option of players.options) {
      option.disabled = !counts.includes(option.value);
      option.hidden = option.disabled;
    }
    if (players.selectedOptions[0]?.disabled ?? true) players.value = counts[0];
    const known = chosen.dataset.options.split(" ");
    for (const item of document.querySelectorAll("[data-option]")) {
      item.hidden = !known.includes(item.dataset.option);
      item.querySelector("input").disabled = item.hidden;
    }
    document.querySelector(".wish details").hidden = chosen.dataset.options === "";
    for (const row of document.querySelectorAll(".seat-row")) {
      row.hidden = Number(row.dataset.number) >= Number(players.value);
      row.querySelector(".named").hidden = row.querySelector("select").value !== "here";
    }
  }

  document.getElementById("wish").addEventListener("change", fit);
  fit();
})();
