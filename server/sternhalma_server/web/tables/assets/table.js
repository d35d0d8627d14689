"use strict";
// A table as one person plays at it. The page has no rules: the server says what may be done now,
// and each state that it sends is whole, so that only the latest matters.

(() => {
  const data = JSON.parse(document.getElementById("table-data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const HOP = 240; // milliseconds
  const CAUGHT_UP = 6; // steps that are still shown one by one
  const find = (id) => document.getElementById(id);
  const svg = document.querySelector("#play .board");
  const board = new Board(svg);
  const plan = element("g", { class: "plan" });
  svg.querySelector(".marbles").before(plan); // ways lie under marbles, their letters stay readable
  const advice = element("g", { class: "plan" });
  svg.querySelector(".marbles").after(advice); // an advised way is looked for, so it hides nowhere
  const title = document.title;

  let state = data.state;
  let came = performance.now(); // when the state came
  let shown = state.steps.length; // steps that are on the board
  let walking = false; // whether somebody looks at an earlier one
  let moving = false; // whether a marble is under way
  let path = []; // the holes of the move that is being laid
  let waysOf = ""; // the turn that the lists of marbles are for
  let problemAt = null; // the version after which a problem is no news
  let unreached = false; // whether the problem is that the server was not reached
  let northern = false; // whether all of one's own marbles start in the north

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function make(name, text, kind) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    if (kind !== undefined) made.className = kind;
    return made;
  }

  // What a server says is a piece of a sentence, as in a log; here it stands alone.
  const asSentence = (text) =>
    text === "" ? "" : `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
  const names = (holes) => holes.map((hole) => data.holes[hole]).join("-");
  const marbles = () => state.ways.marbles ?? {};
  const ends = () => marbles()[path[0]]?.ends ?? {};
  const mayPlay = () => state.mine && !walking && !moving && shown === state.steps.length;

  // What is on the board.

  function lettersAfter(count) {
    const letters = [...state.start];
    for (const step of state.steps.slice(0, count)) {
      if (step.path.length > 0) {
        const letter = letters[step.path[0]];
        letters[step.path[0]] = ".";
        letters[step.path[step.path.length - 1]] = letter;
      }
      for (const hole of step.lift ?? []) letters[hole] = ".";
    }
    return letters;
  }

  function show(count, done) {
    shown = Math.min(Math.max(count, 0), state.steps.length);
    const letters = lettersAfter(shown);
    const moved = state.steps.slice(0, shown).findLast((step) => step.path.length > 0);
    const last = moved?.path ?? [];
    const step = shown === 0 ? undefined : state.steps[shown - 1];
    board.draw(letters, last);
    const text = step === undefined ? "the start" : `ply ${step.ply}, ${step.text}`;
    find("told").textContent = text;
    board.describe(text, letters, last, data.holes);
    find("where").textContent = walking ? `step ${shown} of ${state.steps.length}` : "";
    for (const row of find("steps").children) row.removeAttribute("aria-current");
    const row = find("steps").children[shown - 1];
    if (row !== undefined) {
      row.setAttribute("aria-current", "step");
      find("moves").scrollTop = row.offsetTop - find("moves").clientHeight / 2;
    }
    drawPlan();
    if (done === undefined) return;
    if (step === undefined || step.path.length < 2 || document.hidden) done();
    else board.hop(step.path, HOP, done);
  }

  function follow() {
    if (walking || moving) return;
    if (shown === state.steps.length) {
      renderMover();
      return;
    }
    moving = true;
    show(shown + 1, () => {
      moving = false;
      follow();
    });
  }

  function drawPlan() {
    plan.replaceChildren();
    advice.replaceChildren();
    if (!mayPlay()) {
      if (state.hint === null || walking) return;
    }
    const spots = board.spots;
    const ring = (hole, kind, radius) => {
      const [x, y] = spots[hole];
      plan.append(element("circle", { class: kind, cx: x, cy: y, r: radius }));
    };
    if (state.hint !== null && path.length === 0) {
      const line = state.hint.map((hole) => spots[hole].join(" ")).join(" L");
      for (const kind of ["edge", "advised"]) advice.append(element("path", { class: kind, d: `M${line}` }));
      for (const hole of [state.hint[0], state.hint[state.hint.length - 1]]) {
        const [x, y] = spots[hole];
        advice.append(element("circle", { class: "chosen", cx: x, cy: y, r: 19 }));
      }
    }
    if (path.length === 0) {
      if (mayPlay()) for (const hole of Object.keys(marbles())) ring(hole, "can", 20);
      return;
    }
    for (const hole of Object.keys(ends())) ring(hole, "end", 9);
    for (const hole of onward()) ring(hole, "onward", 14);
    ring(path[0], "chosen", 21);
    if (path.length > 1) {
      const line = path.map((hole) => spots[hole].join(" ")).join(" L");
      plan.append(element("path", { class: "laid", d: `M${line}` }));
      ring(path[path.length - 1], isWhole() ? "goal" : "onward", 15);
    }
  }

  // The move that is being laid.

  function onward() {
    const next = marbles()[path[0]]?.hops[path[path.length - 1]] ?? [];
    return next.filter((hole) => state.ways.again || !path.includes(hole));
  }

  function isWhole() {
    return path.length > 1 && ends()[path[path.length - 1]] !== undefined;
  }

  function lay(holes) {
    path = holes;
    renderPath();
    drawPlan();
  }

  function touch(hole) {
    if (!mayPlay()) return;
    const last = path[path.length - 1];
    if (path.length > 1 && hole === last) {
      if (isWhole()) submit(false);
    } else if (path.length > 0 && onward().includes(hole)) {
      lay([...path, hole]);
    } else if (path.length > 0 && ends()[hole] !== undefined) {
      lay(ends()[hole]);
    } else if (path.length > 1 && path.includes(hole)) {
      lay(path.slice(0, path.indexOf(hole) + 1));
    } else if (marbles()[hole] !== undefined && hole !== path[0]) {
      lay([hole]);
    } else {
      lay([]);
    }
  }

  svg.addEventListener("click", (event) => {
    if (walking) {
      toPresent();
      return;
    }
    if (moving) toPresent(); // nobody has to wait for what is only shown
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(
      svg.getScreenCTM().inverse(),
    );
    if (svg.classList.contains("turned")) {
      point.x = svg.viewBox.baseVal.width - point.x;
      point.y = svg.viewBox.baseVal.height - point.y;
    }
    let nearest = -1;
    let distance = 24;
    board.spots.forEach(([x, y], hole) => {
      const away = Math.hypot(x - point.x, y - point.y);
      if (away < distance) [nearest, distance] = [hole, away];
    });
    if (nearest >= 0) touch(nearest);
  });

  function options(select, holes, chosen, none) {
    select.replaceChildren();
    const first = make("option", none);
    first.value = "";
    select.append(first);
    for (const hole of holes) {
      const option = make("option", data.holes[hole]);
      option.value = String(hole);
      select.append(option);
    }
    select.value = chosen === undefined ? "" : String(chosen);
  }

  function renderPath() {
    const origin = path[0];
    find("from").value = origin === undefined ? "" : String(origin);
    const known = Object.keys(ends()).map(Number);
    const last = path.length > 1 ? path[path.length - 1] : undefined;
    options(find("to"), known, isWhole() ? last : undefined, "–");
    find("move").disabled = !isWhole();
    find("offer").disabled = !isWhole();
    let text = "Touch a marble, then where it goes; touch that again to move. A chain can be laid hop by hop.";
    if (isWhole()) text = `${names(path)}: touch ${data.holes[last]} again to move, or hop on.`;
    else if (path.length > 1) text = `${names(path)}: a move may not end here, hop on.`;
    else if (path.length === 1) text = `The marble on ${data.holes[origin]} may go to ${known.map((hole) => data.holes[hole]).join(", ")}.`;
    else if (state.hint !== null) text = `The adviser would play ${names(state.hint)}.`;
    find("planned").textContent = text;
  }

  function renderMover() {
    const turn = state.mine ? `${state.game} ${state.ply}` : "";
    if (turn !== waysOf) {
      waysOf = turn;
      path = [];
      options(find("from"), Object.keys(marbles()).map(Number), undefined, "–");
    }
    find("mover-set").disabled = !mayPlay();
    find("mover").hidden = state.phase !== "playing";
    find("hint").disabled = state.asking;
    find("hint").textContent = state.asking ? "thinking …" : "hint";
    find("offer").hidden = !state.draws;
    find("draw").hidden = !(state.mine && state.offers.length > 0);
    renderPath();
    drawPlan();
  }

  find("from").addEventListener("change", (event) => {
    lay(event.target.value === "" ? [] : [Number(event.target.value)]);
  });
  find("to").addEventListener("change", (event) => {
    lay(event.target.value === "" ? path.slice(0, 1) : ends()[event.target.value]);
  });
  find("mover").addEventListener("submit", (event) => {
    event.preventDefault();
    if (isWhole()) submit(false);
  });
  find("offer").addEventListener("click", () => submit(true));

  function submit(offer) {
    const laid = names(path);
    path = [];
    find("mover-set").disabled = true;
    drawPlan();
    act({ do: "move", game: state.game, ply: state.ply, path: laid, offer });
  }

  // What else there is to do.

  async function act(what) {
    let problem = null;
    unreached = false;
    try {
      const answer = await fetch(data.act, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(what),
      });
      problem = (await answer.json()).problem ?? null;
    } catch {
      problem = "the server cannot be reached; try once more";
      unreached = true;
    }
    find("problem").textContent = asSentence(problem ?? "");
    find("problem").hidden = problem === null;
    problemAt = problem === null ? null : state.version;
    if (problem !== null) renderMover();
  }

  function here() {
    return state.seats.filter((seat) => seat.here && seat.state === "");
  }

  const buttons = {
    hint: () => act({ do: "hint" }),
    draw: () => act({ do: "draw" }),
    undo: () => act({ do: "undo" }),
    "agree-back": () => act({ do: "agree" }),
    "refuse-back": () => act({ do: "refuse" }),
    again: () => act({ do: "again" }),
    close: () => {
      if (confirm("Close this table for everybody?")) act({ do: "close" });
    },
    resign: () => {
      const seat = here().find((one) => one.letter === state.turn) ?? here()[0];
      if (seat !== undefined && confirm(`Resign for ${seat.letter} ${seat.name}?`)) {
        act({ do: "resign", seat: seat.letter });
      }
    },
    turn: () => svg.classList.toggle("turned"),
    first: () => walk(0),
    back: () => walk(shown - 1),
    next: () => walk(shown + 1, true),
    last: toPresent,
    copy: async () => {
      const link = find("link");
      link.select();
      try {
        await navigator.clipboard.writeText(link.value);
        find("copy").textContent = "copied";
      } catch {
        find("copy").textContent = "press Ctrl-C"; // it is selected; only some pages may copy
      }
    },
  };
  for (const [id, action] of Object.entries(buttons)) find(id).addEventListener("click", action);

  function walk(count, animate = false) {
    board.stop();
    moving = false;
    walking = true;
    path = [];
    find("mover-set").disabled = true;
    if (count >= state.steps.length) {
      if (animate) show(count, () => toPresent());
      else toPresent();
    } else show(count, animate ? () => {} : undefined);
  }

  function toPresent() {
    board.stop();
    walking = false;
    moving = false;
    show(state.steps.length);
    renderMover();
  }

  const keys = {
    ArrowLeft: buttons.back,
    ArrowRight: buttons.next,
    Home: buttons.first,
    End: buttons.last,
    Escape: () => lay([]),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return;
    // A control that has the focus keeps its own keys.
    if (event.target.closest("input, select, [tabindex]") !== null) return;
    if (keys[event.key] === undefined) return;
    event.preventDefault();
    keys[event.key]();
  });

  // The words around the board.

  function clock(milliseconds) {
    const seconds = Math.max(0, milliseconds) / 1000;
    if (seconds < 10) return `${seconds.toFixed(1)} s`;
    const whole = Math.floor(seconds);
    return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
  }

  function left(seat) {
    if (seat.left === null) return "";
    const gone = state.phase === "playing" && seat.letter === state.turn ? performance.now() - came : 0;
    return clock(seat.left - gone);
  }

  function howFar(seat) {
    if (seat.togo === 0) return `All marbles have reached ${seat.target}.`;
    const marbles = seat.home === 0 ? "No marble has" : seat.home === 1 ? "1 marble has" : `${seat.home} marbles have`;
    const steps = seat.togo === 1 ? "1 step is" : `${seat.togo} steps are`;
    return `${marbles} reached ${seat.target}; ${steps} left to go in all.`;
  }

  function renderSeats() {
    find("seats").replaceChildren(
      ...state.seats.map((seat) => {
        const row = make("li");
        if (seat.letter === state.turn && state.phase === "playing") {
          row.className = "to-move";
          row.setAttribute("aria-current", "true");
        }
        const words = [];
        if (seat.place > 0) words.push(`place ${seat.place}`);
        if (seat.here) words.push("you");
        if (seat.free) words.push("free");
        else if (seat.away) words.push("away");
        if (seat.state !== "") words.push(seat.state);
        const time = make("span", left(seat), "clock");
        time.dataset.letter = seat.letter;
        row.append(
          make("span", seat.letter, `seat ${seat.letter.toLowerCase()}`),
          make("strong", seat.name, "name"),
          make("span", words.join(", "), "words"),
          time,
          make("span", howFar(seat), "hint"),
        );
        return row;
      }),
    );
  }

  function renderSteps() {
    const list = find("steps");
    while (list.children.length > state.steps.length) list.lastChild.remove();
    state.steps.forEach((step, at) => {
      let row = list.children[at];
      if (row === undefined) {
        row = make("li");
        const button = make("button", undefined, "step");
        button.type = "button";
        button.addEventListener("click", () => walk(at + 1));
        row.append(button);
        list.append(row);
      }
      const text = `${step.ply} ${step.text}`;
      if (row.firstChild.textContent !== text) row.firstChild.textContent = text;
    });
  }

  function sentence() {
    if (state.phase === "closed") return `This table is closed: ${state.closed}.`;
    if (state.phase === "waiting") {
      const free = state.seats.filter((seat) => seat.free).length;
      if (free === 0) return "Everybody is here; the game is about to begin.";
      return free === 1 ? "The game begins when the last place is taken." : `The game begins when the ${free} free places are taken.`;
    }
    if (state.phase === "over") return `The game is over: ${state.ending}.`;
    const seat = state.seats.find((one) => one.letter === state.turn);
    if (seat === undefined) return "…";
    const offer = state.offers.length > 0 ? ` ${state.offers.join(" and ")} offers a draw.` : "";
    const several = state.seats.filter((one) => one.here).length > 1;
    if (!seat.here) return `${seat.letter} ${seat.name} is to move.${offer}`;
    return several ? `${seat.letter} ${seat.name}, it is your turn.${offer}` : `It is your turn.${offer}`;
  }

  function tell(id, text) {
    // A status is read aloud when it changes, and only then is it to be touched.
    if (find(id).textContent !== text) find(id).textContent = text;
  }

  function render() {
    const own = state.seats.some((seat) => seat.here);
    tell("said", [sentence(), asSentence(state.note)].filter((text) => text !== "").join(" "));
    document.title = state.mine ? `your turn – ${title}` : title;
    renderSeats();
    renderSteps();
    find("share").hidden = state.invitation === null || state.phase === "closed";
    if (state.invitation !== null) {
      find("link").value = new URL(`../${data.table}/${state.invitation}`, location.href).href;
    }
    const back = state.back;
    find("wish-back").hidden = back === null;
    if (back !== null) {
      const waiting = back.own ? ` Waiting for ${back.waiting.join(", ")}.` : "";
      tell("wish-back-text", `${back.by} wants to take back the move of ply ${back.ply} and what came after it.${waiting}`);
      find("agree-back").hidden = !back.mine;
      find("refuse-back").textContent = back.own ? "never mind" : "do not agree";
    }
    const playing = state.phase === "playing";
    find("undo").hidden = !(playing && own && state.own !== null && back === null);
    find("resign").hidden = !(playing && here().length > 0);
    find("again").hidden = !(state.phase === "over" && own);
    find("close").hidden = !(state.host && state.phase !== "closed");
    if (problemAt !== null && state.version > problemAt + 1) {
      find("problem").hidden = true;
      problemAt = null;
    }
    renderMover();
  }

  function take(next) {
    const before = state;
    state = next;
    came = performance.now();
    // What is shown is kept as far as it is still what happened.
    const same = before.game === next.game || next.steps.length < before.steps.length;
    let common = 0;
    while (
      common < shown && common < next.steps.length &&
      before.steps[common]?.text === next.steps[common].text
    ) common += 1;
    const isNew = before.game !== next.game && (common < shown || !same);
    if (isNew) walking = false;
    face();
    render();
    if (walking) {
      show(Math.min(shown, common));
    } else if (common < shown || next.steps.length - common > CAUGHT_UP) {
      board.stop();
      moving = false;
      show(next.steps.length);
      renderMover();
    } else {
      follow();
    }
  }

  setInterval(() => {
    for (const time of document.querySelectorAll("#seats .clock")) {
      const seat = state.seats.find((one) => one.letter === time.dataset.letter);
      if (seat !== undefined && seat.left !== null) time.textContent = left(seat);
    }
  }, 200);

  // Whoever starts in the north has the board the other way round: marbles go up for everybody. In
  // another game one sits elsewhere; until then the board stays as somebody has turned it.
  function face() {
    const own = state.seats.filter((seat) => seat.here);
    const now = own.length > 0 && own.every((seat) => seat.north);
    if (now !== northern) svg.classList.toggle("turned", now);
    northern = now;
  }

  const source = new EventSource(data.live);
  const said = find("connection");
  source.addEventListener("message", (event) => {
    said.textContent = "";
    if (unreached) {
      unreached = false;
      find("problem").hidden = true;
      problemAt = null;
    }
    take(JSON.parse(event.data));
  });
  source.addEventListener("error", () => {
    said.textContent =
      source.readyState === EventSource.CLOSED
        ? "This table can no longer be reached."
        : "The connection is lost; it is being made again.";
  });

  face();
  render();
  show(state.steps.length);
  renderMover();
})();
