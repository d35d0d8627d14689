"use strict";
// The replay of one game. The page has the game as data: where marbles start, and for each step
// which one moves along which holes, and which are lifted. There are no rules here.

(() => {
  const block = document.getElementById("game-data");
  if (block === null) return;
  const game = JSON.parse(block.textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const HOP = 260; // milliseconds of one hop at normal speed
  const REST = 420; // between two moves
  const MARBLE = 17;
  const RING = 19;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

  const find = (selector) => document.querySelector(selector);
  const board = find("#replay .board");
  const marbles = board.querySelector(".marbles");
  const way = board.querySelector(".last");
  const told = find("#told");
  const slider = find("#step");
  const playing = find("#play");
  const speed = find("#speed");
  const list = find("#moves");
  const rows = [...document.querySelectorAll("#moves [data-step]")];
  const clocks = new Map(
    [...document.querySelectorAll("[data-clock]")].map((one) => [one.dataset.clock, one]),
  );
  const spots = [...board.querySelectorAll(".hole")].map((hole) => [
    Number(hole.getAttribute("cx")),
    Number(hole.getAttribute("cy")),
  ]);

  let shown = game.steps.length;
  let timer = null; // of the next step while it plays
  let frame = null; // of the hop that is under way

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

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function put(marble, [x, y]) {
    marble.setAttribute("transform", `translate(${x} ${y})`);
  }

  function drawMarbles(letters) {
    marbles.replaceChildren();
    letters.forEach((letter, hole) => {
      if (letter === ".") return;
      const marble = element("g", { class: `marble ${letter.toLowerCase()}` });
      marble.append(element("circle", { r: MARBLE }), element("text", { y: 6.5 }, letter));
      put(marble, spots[hole]);
      marble.dataset.hole = hole;
      marbles.append(marble);
    });
  }

  function drawWay(path) {
    way.replaceChildren();
    if (path.length === 0) return;
    const line = path.map((hole) => spots[hole].join(" ")).join(" L");
    way.append(element("path", { class: "way", d: `M${line}` }));
    for (const [kind, hole] of [["from", path[0]], ["to", path[path.length - 1]]]) {
      const [x, y] = spots[hole];
      way.append(element("circle", { class: kind, cx: x, cy: y, r: RING }));
    }
  }

  function describe(letters, path) {
    const standing = new Map();
    letters.forEach((letter, hole) => {
      if (letter === ".") return;
      if (!standing.has(letter)) standing.set(letter, []);
      standing.get(letter).push(game.holes[hole]);
    });
    const words = [...standing.keys()].sort().map((l) => `${l} on ${standing.get(l).join(" ")}.`);
    if (path.length > 0) words.push(`The last move went ${path.map((h) => game.holes[h]).join("-")}.`);
    board.querySelector("desc").textContent = words.join(" ");
    board.querySelector("title").textContent = told.textContent;
  }

  function showClocks(count) {
    const left = new Map();
    for (const step of game.steps.slice(0, count)) {
      if (step.left !== undefined) left.set(step.seat, step.left);
    }
    for (const [seat, clock] of clocks) {
      const milliseconds = left.get(seat);
      clock.textContent = milliseconds === undefined ? "" : `${(milliseconds / 1000).toFixed(3)} s left`;
    }
  }

  function markRow(count) {
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

  function hop(path, done) {
    const marble = marbles.querySelector(`[data-hole="${path[path.length - 1]}"]`);
    if (marble === null || calm.matches) {
      done();
      return;
    }
    marbles.append(marble); // above all others while it hops
    const begun = performance.now();
    const each = HOP / Number(speed.value);
    const move = (now) => {
      const gone = Math.max(0, now - begun) / each;
      const number = Math.floor(gone);
      if (number >= path.length - 1) {
        put(marble, spots[path[path.length - 1]]);
        frame = null;
        done();
        return;
      }
      const [x, y] = spots[path[number]];
      const [u, v] = spots[path[number + 1]];
      const part = gone - number;
      put(marble, [x + (u - x) * part, y + (v - y) * part]);
      frame = requestAnimationFrame(move);
    };
    put(marble, spots[path[0]]);
    frame = requestAnimationFrame(move);
  }

  function stopHop() {
    if (frame !== null) cancelAnimationFrame(frame);
    frame = null;
  }

  function show(count, { animate = false, remember = true, done = () => {} } = {}) {
    stopHop();
    shown = Math.min(Math.max(count, 0), game.steps.length);
    const step = shown === 0 ? undefined : game.steps[shown - 1];
    const letters = lettersAfter(shown);
    const moved = game.steps.slice(0, shown).filter((one) => one.path !== undefined);
    const path = moved.length === 0 ? [] : moved[moved.length - 1].path;
    told.textContent = step === undefined ? "the start" : step.text;
    drawMarbles(letters);
    drawWay(path);
    describe(letters, path);
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
    if (animate && step !== undefined && (step.path ?? []).length > 1) hop(step.path, done);
    else done();
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
  slider.max = String(game.steps.length);
  slider.addEventListener("input", () => go(Number(slider.value)));
  for (const row of rows) {
    row.querySelector("a")?.addEventListener("click", (event) => {
      event.preventDefault();
      go(Number(row.dataset.step));
    });
  }

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

  // Without a script a link to a ply leads to its row; with one to the board, so that the row must
  // not be what the browser scrolls to.
  for (const row of rows) row.removeAttribute("id");
  find("#controls").hidden = false;
  show(game.steps.length, { remember: false });
  fromHash();
})();
