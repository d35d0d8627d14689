// A whole bot for Sternhalma in Rust: copy this file, make `choose` better, and play.
//
//     rustc -O one_file_bot.rs
//     ./one_file_bot HOST PORT NAME
//
// A server that starts bots itself tells them the same in STERNHALMA_HOST, STERNHALMA_PORT,
// STERNHALMA_NAME, STERNHALMA_SLOT and STERNHALMA_TOKEN. The lines are explained in protocol.md.
// Exit status: 0 if the event ended, 1 with a sentence on stderr if anything else did.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::ExitCode;

/// One of the legal moves, such as `d5-e5`. `_position` is the six words of the board as text, as
/// in protocol.md; `chance` is a number that is the same whenever the same turn comes again.
fn choose<'a>(moves: &[&'a str], _position: &[&str], chance: u64) -> &'a str {
    moves[(chance % moves.len() as u64) as usize]
}

/// FNV-1a over seed and ply, then the finish of splitmix64.
fn chance_of(seed: &str, ply: &str) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in seed.bytes().chain([b' ']).chain(ply.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

fn value_of<'a>(key: &str, words: &[&'a str]) -> &'a str {
    words.iter().find_map(|word| word.strip_prefix(key)).unwrap_or("")
}

/// What to answer to a line of the server, if anything. What a bot does not know it ignores.
fn answer(line: &str, login: &str, seed: &mut String) -> Option<String> {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["sternhalma", "1", ..] => Some(login.to_string()),
        ["game", ..] => {
            *seed = value_of("seed=", &words).to_string();
            None
        }
        ["turn", game, ply, _, ref rest @ ..] if rest.len() > 6 => {
            let (position, keys) = rest.split_at(6);
            let moves: Vec<&str> = value_of("moves=", keys).split(',').collect();
            let chosen = choose(&moves, position, chance_of(seed, ply));
            Some(format!("move {game} {ply} {chosen}"))
        }
        ["ping", word, ..] => Some(format!("pong {word}")),
        ["error", ..] => {
            complain(&format!("the server said: {line}")); // what was sent cannot be played
            None
        }
        _ => None,
    }
}

/// Answer every turn until the server says goodbye; the error is a sentence.
fn play(host: &str, port: u16, login: &str) -> Result<(), String> {
    let told = |error: std::io::Error| error.to_string();
    let mut server = TcpStream::connect((host, port)).map_err(told)?;
    server.set_nodelay(true).map_err(told)?;
    let mut lines = BufReader::new(server.try_clone().map_err(told)?);
    let (mut line, mut seed) = (Vec::new(), String::new());
    loop {
        line.clear();
        if lines.read_until(b'\n', &mut line).map_err(told)? == 0 {
            return Err("the connection ended without a goodbye".to_string());
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim_end_matches(['\r', '\n']);
        if text.starts_with("bye event-over") {
            return Ok(());
        }
        if text.starts_with("bye ") {
            return Err(format!("the server said: {text}"));
        }
        if let Some(said) = answer(text, login, &mut seed) {
            // In one piece and at once: an answer in a buffer loses on time.
            server.write_all(format!("{said}\n").as_bytes()).map_err(told)?;
        }
    }
}

fn told(word: &str) -> String {
    env::var(format!("STERNHALMA_{word}")).unwrap_or_default()
}

fn complain(sentence: &str) {
    eprintln!("one_file_bot: {sentence}");
}

fn run() -> Result<(), String> {
    let mut given: Vec<String> = env::args().skip(1).collect();
    if given.is_empty() {
        given = ["HOST", "PORT", "NAME"].map(told).to_vec();
    }
    let (host, port, name) = match &given[..] {
        [host, port, name] if !given.contains(&String::new()) => (host, port, name),
        _ => return Err("usage: one_file_bot HOST PORT NAME".to_string()),
    };
    let number = port
        .parse()
        .map_err(|_| format!("expected a number from 0 to 65535 for PORT, got '{port}'"))?;
    let (mut slot, mut token) = (told("SLOT"), told("TOKEN"));
    if slot.is_empty() {
        slot = "1".to_string();
    }
    if !token.is_empty() {
        token = format!(" token={token}");
    }
    play(host, number, &format!("login {name} slot={slot} moves=yes{token}"))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            complain(&sentence);
            ExitCode::FAILURE
        }
    }
}
