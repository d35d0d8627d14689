"use strict";
// A page that hears how things go on. One stream tells it what has changed: parts of the page as
// the server makes them, boards, and the steps and clocks of a game. Of everything it is the latest
// that counts, so nothing is waited for and nothing is asked twice.

(() => {
  const EVERY = 100; // milliseconds between two looks at the clocks
  const found = (selector, within = document) => within.querySelector(selector);
  const address = document.body.dataset.live;
  if (address === undefined) return; // nothing on it changes any more
  const replay = typeof Replay === "undefined" ? null : Replay;
  const connection = found("#connection");
  let ahead = 0; // how far this page's clock is ahead of the server's, in milliseconds
  const boards = new Map(); // what is known of each, by its key
  let clock = null; // of the one game that the page is of

  function copy(text) {
    const made = document.createElement("template");
    made.innerHTML = text; // made by our own templates, which escape everything
    return made;
  }

  function showPart(name, text) {
    const part = found(`[data-part="${CSS.escape(name)}"]`);
    if (part === null) return;
    const made = copy(text);
    if (made.innerHTML.trim() === part.innerHTML.trim()) return;
    // Who reads a table far to the right, or has the focus in it, is to stay there.
    const kept = [...part.querySelectorAll(".wide")].map((one) => [one.scrollLeft, one.scrollTop]);
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const at = focused === null ? -1 : [...part.querySelectorAll("a, [tabindex]")].indexOf(focused);
    part.replaceChildren(made.content);
    [...part.querySelectorAll(".wide")].forEach((one, number) => {
      if (number < kept.length) [one.scrollLeft, one.scrollTop] = kept[number];
    });
    if (at >= 0) [...part.querySelectorAll("a, [tabindex]")][at]?.focus({ preventScroll: true });
  }

  function madeFigure(key, state) {
    const frame = found(`template[data-frame="${CSS.escape(state.frame)}"]`);
    if (frame === null) return null;
    const figure = document.createElement("figure");
    figure.dataset.board = key;
    figure.append(frame.content.cloneNode(true));
    const svg = found("svg", figure);
    for (const kind of ["title", "desc"]) found(kind, svg).id = `game-${key}-${kind}`;
    svg.setAttribute("aria-labelledby", `game-${key}-title game-${key}-desc`);
    const caption = document.createElement("figcaption");
    const link = document.createElement("a");
    link.href = state.href;
    const players = document.createElement("ul");
    players.className = "players";
    for (const [letter, bot] of state.seats) {
      const player = document.createElement("li");
      const seat = document.createElement("span");
      seat.className = `seat ${letter.toLowerCase()}`;
      seat.textContent = letter;
      const time = document.createElement("span");
      time.className = "clock";
      time.dataset.seat = letter;
      const name = document.createElement("span");
      name.className = "name";
      name.title = bot; // where it is long, the end of it is not shown
      name.textContent = bot;
      player.append(seat, " ", name, " ", time);
      players.append(player);
    }
    caption.append(link, players);
    figure.append(caption);
    found("#running .small").append(figure);
    return figure;
  }

  function showBoard(key, state) {
    const section = found("#running");
    if (section === null) return;
    let figure = found(`#running figure[data-board="${CSS.escape(key)}"]`);
    if (state === null) {
      figure?.remove();
      boards.delete(key);
    } else {
      figure ??= madeFigure(key, state);
      if (figure === null) return;
      const svg = found("svg", figure);
      const names = found(`template[data-frame="${CSS.escape(state.frame)}"]`).dataset.holes;
      const drawn = boards.get(key)?.board ?? new Board(svg);
      boards.set(key, { board: drawn, figure, clock: state.clock });
      drawn.draw(state.letters, state.path);
      drawn.describe(state.title, state.letters, state.path, names.split(" "));
      found("figcaption a", figure).textContent = state.title;
      for (const player of figure.querySelectorAll("li")) {
        const seat = found("[data-seat]", player).dataset.seat;
        player.classList.toggle("turn", seat === state.clock.running);
      }
    }
    section.hidden = found("figure", section) === null;
  }

  function showStep(number, step) {
    if (replay === null || number < replay.count) return;
    if (number > replay.count) {
      location.reload(); // something between is missing
      return;
    }
    const list = found("#moves table");
    const head = [...list.querySelectorAll("thead th")];
    const row = document.createElement("tr");
    row.dataset.step = String(number + 1);
    if (step.cells === undefined) {
      row.className = "event";
      const cell = document.createElement("td");
      cell.colSpan = Math.max(1, head.length);
      cell.textContent = step.text;
      row.append(cell);
    } else {
      head.forEach((title, column) => {
        const cell = document.createElement("td");
        cell.className = title.className;
        const text = step.cells[title.textContent] ?? "";
        if (column === 0) {
          const link = document.createElement("a");
          link.href = `#ply-${step.ply}`;
          link.textContent = text;
          cell.append(link);
        } else {
          cell.textContent = text;
        }
        row.append(cell);
      });
    }
    list.tBodies[0].append(row);
    replay.add(step, row);
  }

  function timeText(milliseconds) {
    const seconds = Math.max(0, milliseconds) / 1000;
    if (seconds < 60) return `${seconds.toFixed(1)} s`;
    const whole = Math.floor(seconds);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }

  function tick() {
    const now = performance.now() - ahead;
    const left = (known, seat) => {
      const ran = known.running === seat ? Math.max(0, now - known.since) : 0;
      return timeText(known.left[seat] - ran);
    };
    for (const { figure, clock: known } of boards.values()) {
      for (const time of figure.querySelectorAll("[data-seat]")) {
        const seat = time.dataset.seat;
        time.textContent = known.left[seat] === undefined ? "" : left(known, seat);
      }
    }
    if (clock === null || replay === null || !replay.atEnd) return;
    for (const time of document.querySelectorAll("[data-clock]")) {
      const seat = time.dataset.clock;
      time.textContent = clock.left[seat] === undefined ? "" : `${left(clock, seat)} left`;
      time.classList.toggle("turn", seat === clock.running);
    }
  }

  function hear(message) {
    ahead = performance.now() - message.now;
    const { things, whole } = message;
    if (whole) {
      for (const key of [...boards.keys()]) {
        if (things[`board/${key}`] === undefined) showBoard(key, null);
      }
      for (const figure of document.querySelectorAll("#running figure")) {
        if (things[`board/${figure.dataset.board}`] === undefined) showBoard(figure.dataset.board, null);
      }
    }
    const steps = [];
    for (const [key, thing] of Object.entries(things)) {
      const slash = key.indexOf("/");
      const kind = slash < 0 ? key : key.slice(0, slash);
      const name = key.slice(slash + 1);
      if (kind === "part" && thing !== null) showPart(name, thing);
      else if (kind === "board") showBoard(name, thing);
      else if (kind === "step" && thing !== null) steps.push([Number(name), thing]);
      else if (kind === "clock") clock = thing;
    }
    steps.sort(([one], [other]) => one - other);
    for (const [number, step] of steps) showStep(number, step);
    if (things.data !== undefined && things.data !== null) {
      clock = null;
      replay?.replace(things.data);
    } else if (replay !== null && whole && steps.length > 0 && steps.length < replay.count) {
      location.reload(); // the game has begun anew
    }
    if (replay !== null && !replay.atEnd) replay.showClocks();
    tick();
  }

  // A browser has few connections for all its tabs: one that nobody sees needs none.
  let stream = null;
  function listen() {
    if (document.hidden || stream !== null) return;
    stream = new EventSource(address);
    stream.addEventListener("open", () => {
      connection.textContent = "";
    });
    stream.addEventListener("message", (event) => hear(JSON.parse(event.data)));
    stream.addEventListener("end", () => {
      connection.textContent = "This site has been closed; so things stood then.";
    });
    stream.addEventListener("error", () => {
      connection.textContent ||= "The connection is lost; what is shown may be old.";
    });
  }
  function leave() {
    stream?.close();
    stream = null;
  }
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : listen()));
  window.addEventListener("pagehide", leave);
  window.addEventListener("pageshow", listen);
  listen();
  if (found("#running") !== null || found("[data-clock]") !== null) setInterval(tick, EVERY);
})();
