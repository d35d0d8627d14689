#!/usr/bin/env node
// A whole bot for Sternhalma in JavaScript: copy this file, make `choose` better, and play.
//
//     node sternhalma_bot.js HOST PORT NAME
//
// A server that starts bots itself tells them the same in STERNHALMA_HOST, STERNHALMA_PORT,
// STERNHALMA_NAME, STERNHALMA_SLOT and STERNHALMA_TOKEN. The lines are explained in protocol.md.
// Exit status: 0 if the event ended, 1 with a sentence on stderr if anything else did.

"use strict";

const { createHash } = require("node:crypto");
const net = require("node:net");

const MAX_LINE = 65536; // bytes

// One of the legal moves, such as `d5-e5`. `position` is the board as text, as in protocol.md;
// `chance` is a number from 0 to below 1 that is the same whenever the same turn comes again.
function choose(moves, position, chance) {
  return moves[Math.floor(chance * moves.length)];
}

function chanceOf(seed, ply) {
  return createHash("sha256").update(`${seed} ${ply}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

function valueOf(key, words) {
  const word = words.find((word) => word.startsWith(`${key}=`));
  return word === undefined ? "" : word.slice(key.length + 1);
}

// The conversation: one line in, the lines to answer out.
class Conversation {
  constructor(name, slot, token) {
    this.login = `login ${name} slot=${slot} moves=yes${token ? ` token=${token}` : ""}`;
    this.seed = "";
    this.farewell = null;
  }

  hear(line) {
    const [message, ...words] = line.split(" ");
    switch (message) {
      case "sternhalma":
        return words[0] === "1" ? [this.login] : [];
      case "game":
        this.seed = valueOf("seed", words);
        return [];
      case "turn": {
        const [game, ply, , ...rest] = words;
        const position = rest.slice(0, 6).join(" ");
        const moves = valueOf("moves", rest.slice(6)).split(",");
        return [`move ${game} ${ply} ${choose(moves, position, chanceOf(this.seed, ply))}`];
      }
      case "ping":
        return [`pong ${words[0]}`];
      case "error": // what was sent cannot be played
        process.stderr.write(`sternhalma_bot: the server said: ${line}\n`);
        return [];
      case "bye":
        this.farewell = words.join(" ");
        return [];
      default:
        return []; // what a bot does not know it ignores
    }
  }
}

function fail(sentence) {
  process.stderr.write(`sternhalma_bot: ${sentence}\n`, () => process.exit(1));
}

function play(host, port, conversation) {
  let rest = Buffer.alloc(0);
  const server = net.connect({ host, port, noDelay: true });
  server.on("data", (data) => {
    // What has arrived may be part of a line, or several lines, or part of a character.
    rest = Buffer.concat([rest, data]);
    let end;
    while ((end = rest.indexOf(10)) >= 0 && conversation.farewell === null) {
      const line = rest.toString("utf8", 0, end).replace(/\r$/, "");
      rest = rest.subarray(end + 1);
      for (const answer of conversation.hear(line)) {
        server.write(`${answer}\n`);
      }
    }
    if (conversation.farewell !== null) {
      server.destroy();
    } else if (rest.length >= MAX_LINE) {
      server.destroy(new Error(`expected a line of at most ${MAX_LINE} bytes, got more`));
    }
  });
  let error = null;
  server.on("error", (cause) => {
    error = cause;
  });
  server.on("close", () => {
    const farewell = conversation.farewell;
    if (farewell === null) {
      fail(error ? error.message : "the connection ended without a goodbye");
    } else if (!farewell.startsWith("event-over")) {
      fail(`the server said: ${farewell}`);
    }
  });
}

function main() {
  const env = (word) => process.env[`STERNHALMA_${word}`] ?? "";
  const given = process.argv.slice(2);
  const [host, port, name] = given.length > 0 ? given : ["HOST", "PORT", "NAME"].map(env);
  if (!host || !port || !name || given.length > 3) {
    fail("usage: sternhalma_bot.js HOST PORT NAME");
    return;
  }
  if (!/^[0-9]{1,5}$/.test(port)) {
    fail(`expected a number for PORT, got '${port}'`);
    return;
  }
  play(host, Number(port), new Conversation(name, env("SLOT") || "1", env("TOKEN")));
}

main();
