"use strict";
// The replay of one game. The page has the game as data: where marbles start, and for each step
// which one moves along which holes, and which are lifted. There are no rules here. Of a game that
// is still played `live.js` adds the steps as they come.

const Replay = (() => {
  const block = document.getElementById("game-data");
  if (block === null) return null;
  let game = JSON.parse(block.textContent);
  const HOP = 260; // milliseconds of one hop at normal speed
  const REST = 420; // between two moves

  const find = (selector) => document.querySelector(selector);
  const board = new Board(find("#replay .board"));
  const told = find("#told");
  const slider = find("#step");
  const playing = find("#play");
  const speed = find("#speed");

  let rows = [];
  let shown = game.steps.length;
  let timer = null; // of the next step while it plays

  function lettersAfter(count) {
    const letters = [...game.start];
    for (const step of game.steps.slice(0, count)) {
      if (step.path !== undefined && step.path.length > 0) {
        const target = step.path[step.path.length - 1];
        const letter = letters[step.path[0]];
        letters[step.path[0]] = ".";
        letters[target] = letter;
      }
      for (const hole of step.lift ?? []) letters[hole] = ".";
    }
    return letters;
  }

  function showClocks(count) {
    const left = new Map();
    for (const step of game.steps.slice(0, count)) {
      if (step.left !== undefined) left.set(step.seat, step.left);
    }
    for (const clock of document.querySelectorAll("[data-clock]")) {
      const milliseconds = left.get(clock.dataset.clock);
      clock.textContent = milliseconds === undefined ? "" : `${(milliseconds / 1000).toFixed(3)} s left`;
    }
  }

  function markRow(count) {
    const list = find("#moves");
    for (const row of rows) {
      const current = Number(row.dataset.step) === count;
      if (current) {
        row.setAttribute("aria-current", "step");
        // The list scrolls by itself: `scrollIntoView` would take the page along.
        const top = row.offsetTop - list.clientHeight / 2;
        list.scrollTop = Math.max(0, top);
      } else {
        row.removeAttribute("aria-current");
      }
    }
    if (count === 0) list.scrollTop = 0;
  }

  function show(count, { animate = false, remember = true, done = () => {} } = {}) {
    shown = Math.min(Math.max(count, 0), game.steps.length);
    const step = shown === 0 ? undefined : game.steps[shown - 1];
    const letters = lettersAfter(shown);
    const moved = game.steps.slice(0, shown).filter((one) => one.path !== undefined);
    const path = moved.length === 0 ? [] : moved[moved.length - 1].path;
    told.textContent = step === undefined ? "the start" : step.text;
    board.draw(letters, path);
    board.describe(told.textContent, letters, path, game.holes);
    showClocks(shown);
    markRow(shown);
    slider.value = String(shown);
    slider.setAttribute("aria-valuetext", told.textContent);
    if (remember) {
      try {
        history.replaceState(null, "", `#ply-${step === undefined ? 0 : step.ply}`);
      } catch {
        // A page from a disk may be forbidden to; then there is only no link to copy.
      }
    }
    if (animate && step !== undefined && (step.path ?? []).length > 1) {
      board.hop(step.path, HOP / Number(speed.value), done);
    } else {
      done();
    }
  }

  function pause() {
    clearTimeout(timer);
    timer = null;
    playing.setAttribute("aria-pressed", "false");
    playing.textContent = "play";
  }

  function play() {
    if (shown === game.steps.length) show(0);
    playing.setAttribute("aria-pressed", "true");
    playing.textContent = "pause";
    const next = () => {
      if (shown === game.steps.length) {
        pause();
        return;
      }
      const then = () => {
        if (timer !== null) timer = setTimeout(next, REST / Number(speed.value));
      };
      show(shown + 1, { animate: true, done: then });
    };
    timer = setTimeout(next, 0);
  }

  function toggle() {
    if (timer === null) play();
    else pause();
  }

  function go(count, animate = false) {
    pause();
    show(count, { animate });
  }

  function fromHash() {
    const found = /^#ply-(\d+)$/.exec(location.hash);
    if (found === null) return;
    const ply = Number(found[1]);
    const at = game.steps.findLastIndex((step) => step.ply <= ply);
    pause();
    show(at + 1, { remember: false });
    find("#replay").scrollIntoView({ block: "nearest" });
  }

  const buttons = {
    first: () => go(0),
    back: () => go(shown - 1),
    play: toggle,
    next: () => go(shown + 1, true),
    last: () => go(game.steps.length),
  };
  for (const [name, action] of Object.entries(buttons)) {
    document.getElementById(name).addEventListener("click", action);
  }
  slider.addEventListener("input", () => go(Number(slider.value)));

  const keys = {
    ArrowLeft: buttons.back,
    ArrowRight: buttons.next,
    Home: buttons.first,
    End: buttons.last,
    " ": toggle,
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    // A control that has the focus keeps its own keys.
    const own = event.target.closest("input, select, [tabindex]") !== null;
    const pressed = event.key === " " && event.target.closest("button, a, summary") !== null;
    if (own || pressed || keys[event.key] === undefined) return;
    event.preventDefault();
    keys[event.key]();
  });
  window.addEventListener("hashchange", fromHash);

  function lead(row) {
    // Without a script a link to a ply leads to its row; with one to the board, so that the row
    // must not be what the browser scrolls to.
    row.removeAttribute("id");
    row.querySelector("a")?.addEventListener("click", (event) => {
      event.preventDefault();
      go(Number(row.dataset.step));
    });
  }

  // The list of moves is another one, or has another row.
  function listed() {
    rows = [...document.querySelectorAll("#moves [data-step]")];
    slider.max = String(game.steps.length);
  }

  listed();
  rows.forEach(lead);
  find("#controls").hidden = false;
  show(game.steps.length, { remember: false });
  fromHash();

  return {
    get count() {
      return game.steps.length;
    },
    // Whether what is shown is the latest there is.
    get atEnd() {
      return shown === game.steps.length;
    },
    // The clocks as they stood after the step that is shown.
    showClocks() {
      showClocks(shown);
    },
    // One step more, and its row in the list; who looks at the latest is shown it.
    add(step, row) {
      const following = shown === game.steps.length && timer === null;
      game.steps.push(step);
      listed();
      lead(row);
      if (following) show(game.steps.length, { animate: true, remember: false });
    },
    // The same game as its record has it, with another list of moves.
    replace(data) {
      const following = shown === game.steps.length && timer === null;
      game = data;
      listed();
      rows.forEach(lead);
      show(following ? game.steps.length : shown, { remember: false });
    },
  };
})();
