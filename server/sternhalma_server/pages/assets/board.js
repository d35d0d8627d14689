"use strict";
// A board that is drawn already, as its marbles move. It knows where holes are and no rules: a
// position is a letter or a dot for each hole, a move the holes of its path.

const Board = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const MARBLE = 17;
  const RING = 19;
  const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  function place(marble, [x, y]) {
    marble.setAttribute("transform", `translate(${x} ${y})`);
  }

  return class {
    constructor(svg) {
      this.svg = svg;
      this.marbles = svg.querySelector(".marbles");
      this.last = svg.querySelector(".last");
      this.spots = [...svg.querySelectorAll(".hole")].map((hole) => [
        Number(hole.getAttribute("cx")),
        Number(hole.getAttribute("cy")),
      ]);
      this.frame = null; // of the hop that is under way
    }

    // The position `letters`, and the way of the last move along `path`.
    draw(letters, path) {
      this.stop();
      this.marbles.replaceChildren();
      [...letters].forEach((letter, hole) => {
        if (letter === ".") return;
        const marble = element("g", { class: `marble ${letter.toLowerCase()}` });
        marble.append(element("circle", { r: MARBLE }), element("text", { y: 6.5 }, letter));
        place(marble, this.spots[hole]);
        marble.dataset.hole = hole;
        this.marbles.append(marble);
      });
      this.last.replaceChildren();
      if (path.length === 0) return;
      const line = path.map((hole) => this.spots[hole].join(" ")).join(" L");
      this.last.append(element("path", { class: "way", d: `M${line}` }));
      for (const [kind, hole] of [["from", path[0]], ["to", path[path.length - 1]]]) {
        const [x, y] = this.spots[hole];
        this.last.append(element("circle", { class: kind, cx: x, cy: y, r: RING }));
      }
    }

    // What is drawn, in words; `names` are those of the holes.
    describe(title, letters, path, names) {
      const standing = new Map();
      [...letters].forEach((letter, hole) => {
        if (letter === ".") return;
        if (!standing.has(letter)) standing.set(letter, []);
        standing.get(letter).push(names[hole]);
      });
      const words = [...standing.keys()].sort().map((l) => `${l} on ${standing.get(l).join(" ")}.`);
      if (path.length > 0) words.push(`The last move went ${path.map((h) => names[h]).join("-")}.`);
      this.svg.querySelector("desc").textContent = words.join(" ");
      this.svg.querySelector("title").textContent = title;
    }

    // Let the marble that stands at the end of `path` go all of it, `each` milliseconds a hop.
    hop(path, each, done) {
      const marble = this.marbles.querySelector(`[data-hole="${path[path.length - 1]}"]`);
      if (marble === null || calm.matches) {
        done();
        return;
      }
      this.marbles.append(marble); // above all others while it hops
      const begun = performance.now();
      const move = (now) => {
        const gone = Math.max(0, now - begun) / each;
        const number = Math.floor(gone);
        if (number >= path.length - 1) {
          place(marble, this.spots[path[path.length - 1]]);
          this.frame = null;
          done();
          return;
        }
        const [x, y] = this.spots[path[number]];
        const [u, v] = this.spots[path[number + 1]];
        const part = gone - number;
        place(marble, [x + (u - x) * part, y + (v - y) * part]);
        this.frame = requestAnimationFrame(move);
      };
      place(marble, this.spots[path[0]]);
      this.frame = requestAnimationFrame(move);
    }

    stop() {
      if (this.frame !== null) cancelAnimationFrame(this.frame);
      this.frame = null;
    }
  };
})();
