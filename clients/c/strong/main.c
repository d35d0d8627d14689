/* A strong bot for Sternhalma. It knows all rule sets, and thinks as long as the clock allows.
 *
 *     cc -O2 -o strong *.c
 *     ./strong HOST PORT NAME
 *     ./strong --stdio             over standard streams, for `stdio = true`
 *
 * Without HOST it takes host, port, name, slot and token from STERNHALMA_HOST, STERNHALMA_PORT,
 * STERNHALMA_NAME, STERNHALMA_SLOT and STERNHALMA_TOKEN. Options before that:
 *
 *     --nodes N    look at N positions a move, not at the clock: an event can be played again
 *     --check      compare the server's lists of moves with its own, and stop if they differ
 *     --tell       say on standard error what was thought
 *
 * The lines are explained in protocol.md. Exit status: 0 if the event ended, 1 with a sentence on
 * standard error if anything else did.
 */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "strong.h"

enum { MAX_LINE = 65536, MAX_ANSWER = 1024, MAX_WORDS = 64, MOVES_TO_GO = 30 };

static int in = STDIN_FILENO, out = STDOUT_FILENO;
static const char *name;
static bool checks, tells;
static long nodes;
static Rules rules;
static double increment; /* milliseconds, what the clock of this game adds to each move */
static bool each_move;   /* whether it gives each move a time of its own */

_Noreturn static void fail(const char *what, const char *why)
{
    fprintf(stderr, "strong: %s%s%s\n", what, *why ? ": " : "", why);
    exit(1);
}

/* Write one line, all of it and at once. */
static void say(const char *format, ...)
{
    char line[MAX_ANSWER];
    va_list words;
    va_start(words, format);
    int length = vsnprintf(line, sizeof line - 1, format, words);
    va_end(words);
    if (length < 0 || length > (int)sizeof line - 2)
        fail("expected an answer of at most 1024 bytes, got more", "");
    line[length++] = '\n';
    for (int sent = 0; sent < length;) {
        ssize_t n = write(out, line + sent, (size_t)(length - sent));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            fail("cannot send", strerror(errno));
        sent += (int)n;
    }
}

static const char *told(const char *variable)
{
    const char *value = getenv(variable);
    return value ? value : "";
}

static size_t split(char *line, const char *at, char **words, size_t most)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(line, at, &rest); word && count < most;
         word = strtok_r(NULL, at, &rest))
        words[count++] = word;
    return count;
}

/* The value of `key=` among the words, NULL without it. */
static char *value_of(const char *key, char **words, size_t count)
{
    size_t length = strlen(key);
    for (size_t i = 0; i < count; i++)
        if (strncmp(words[i], key, length) == 0)
            return words[i] + length;
    return NULL;
}

/* `2s`, `500ms`, `1m` in milliseconds; `end` is set behind it. */
static double milliseconds(char *text, char **end)
{
    double number = strtod(text, &text);
    double unit = strncmp(text, "ms", 2) == 0 ? 1 : *text == 's' ? 1e3 : *text == 'm' ? 6e4 : 3.6e6;
    *end = text + strspn(text, "msh");
    return number * unit;
}

/* `2s`, `60s+0.5s`, `60s+5x2s` or `none` */
static void read_clock(char *text)
{
    increment = 0;
    each_move = true;
    if (!text || strcmp(text, "none") == 0)
        return;
    milliseconds(text, &text);
    if (*text != '+')
        return;
    each_move = false;
    char *period = strchr(text, 'x');
    increment = milliseconds(period ? period + 1 : text + 1, &text);
}

/* Seconds to think with `left` milliseconds on the clock, of which a part is kept for the way to
 * the server and for what else its machine may have to do. */
static double time_to_think(const char *left)
{
    double time = strcmp(left, "-") == 0 ? 1000 : atof(left), share = time;
    if (!each_move)
        share = time < increment ? time : (time - increment) / MOVES_TO_GO + increment;
    double most = 0.8 * share - 20;
    return (most > share / 2 ? most : share / 2) / 1000;
}

/* Stop if the server's list of moves, `c5-e5,c5-e7`, is not ours. */
static void check(Position *position, char *list, const char *text)
{
    static Move moves[MOVES];
    static char *theirs[MOVES];
    static const int no_cost[CELLS];
    int count = 0, listed = (int)split(list, ",", theirs, MOVES), known = 0;
    for (int colour = 0; colour < rules.colours; colour++)
        if (position->seat_of[colour] == position->turn)
            count += list_moves(position, colour, no_cost, 0, moves + count);
    for (int i = 0; i < listed; i++) {
        char *dash = strchr(theirs[i], '-');
        int from = dash ? parse_hole(&rules, theirs[i], (int)(dash - theirs[i])) : -1;
        int to = dash ? parse_hole(&rules, dash + 1, (int)strlen(dash + 1)) : -1;
        for (int j = 0; j < count; j++)
            known += moves[j].from == from && moves[j].to == to;
    }
    if (known != listed || known != count) {
        fprintf(stderr, "strong: expected %d moves, the server lists %d, of which %d are known\n",
                count, listed, known);
        fail("they differ at", text);
    }
}

/* turn GAME PLY MS and the six words of the position, then keys */
static void take_turn(char **words, size_t count)
{
    static Position position;
    if (count < 10)
        fail("expected a position with the turn, got none", "");
    if (strcmp(words[4], rules.id) != 0 && !read_rules(&rules, words[4]))
        fail("expected rules that are known here, got", words[4]);
    begin_endgame(&rules);
    Effort effort = {.seconds = time_to_think(words[3]), .nodes = nodes};
    char *board = words[5];
    if (!read_position(&position, &rules, words + 4))
        fail("expected a position, got", board);
    char *list = value_of("moves=", words + 10, count - 10);
    if (checks && list)
        check(&position, list, board);
    Move move = choose(&position, &effort);
    char from[8], to[8];
    format_hole(&rules, move.from, from);
    format_hole(&rules, move.to, to);
    if (tells)
        fprintf(stderr, "strong: %s-%s depth %d, %ld positions\n", from, to, effort.depth,
                effort.visited);
    say("move %s %s %s-%s", words[1], words[2], from, to);
}

/* Do what `line` asks for. What a bot does not know it ignores. */
static void hear(char *line)
{
    if (strncmp(line, "bye", 3) == 0 && (line[3] == ' ' || line[3] == '\0')) {
        if (strncmp(line, "bye event-over", 14) == 0)
            exit(0);
        fail("the server said", line);
    }
    if (strncmp(line, "error ", 6) == 0) /* what was sent cannot be played */
        fprintf(stderr, "strong: the server said: %s\n", line);
    char *words[MAX_WORDS];
    size_t count = split(line, " ", words, MAX_WORDS);
    if (count == 0)
        return;
    if (strcmp(words[0], "sternhalma") == 0 && count > 1 && strcmp(words[1], "1") == 0) {
        const char *slot = told("STERNHALMA_SLOT"), *token = told("STERNHALMA_TOKEN");
        say("login %s slot=%s%s%s%s", name, *slot ? slot : "1", checks ? " moves=yes" : "",
            *token ? " token=" : "", token);
    } else if (strcmp(words[0], "game") == 0) {
        read_clock(value_of("clock=", words, count));
        new_game();
    } else if (strcmp(words[0], "turn") == 0) {
        take_turn(words, count);
    } else if (strcmp(words[0], "ping") == 0 && count > 1) {
        say("pong %s", words[1]);
    }
}

_Noreturn static void converse(void)
{
    static char buffer[MAX_LINE + 1];
    size_t filled = 0;
    for (;;) {
        ssize_t n = read(in, buffer + filled, MAX_LINE - filled);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            fail("the connection ended without a goodbye", n < 0 ? strerror(errno) : "");
        filled += (size_t)n;
        /* What has arrived may be part of a line, or several lines. */
        char *start = buffer, *end;
        while ((end = memchr(start, '\n', filled - (size_t)(start - buffer)))) {
            *end = '\0';
            if (end > start && end[-1] == '\r')
                end[-1] = '\0';
            hear(start);
            start = end + 1;
        }
        filled -= (size_t)(start - buffer);
        memmove(buffer, start, filled);
        if (filled == MAX_LINE)
            fail("expected a line of at most 65536 bytes, got more", "");
    }
}

static void dial(const char *host, const char *port)
{
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM}, *found;
    int error = getaddrinfo(host, port, &wanted, &found), yes = 1;
    if (error)
        fail(host, gai_strerror(error));
    int server = -1;
    for (struct addrinfo *at = found; at && server < 0; at = at->ai_next) {
        server = socket(at->ai_family, at->ai_socktype, at->ai_protocol);
        if (server >= 0 && connect(server, at->ai_addr, at->ai_addrlen) < 0) {
            error = errno;
            close(server);
            errno = error;
            server = -1;
        }
    }
    if (server < 0)
        fail("cannot connect", strerror(errno));
    freeaddrinfo(found);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    in = out = server;
}

int main(int count, char **arguments)
{
    bool streams = false;
    int next = 1;
    for (; next < count && strncmp(arguments[next], "--", 2) == 0; next++) {
        if (strcmp(arguments[next], "--stdio") == 0)
            streams = true;
        else if (strcmp(arguments[next], "--check") == 0)
            checks = true;
        else if (strcmp(arguments[next], "--tell") == 0)
            tells = true;
        else if (strcmp(arguments[next], "--nodes") == 0 && next + 1 < count)
            nodes = atol(arguments[++next]);
        else
            fail("expected --stdio, --check, --tell or --nodes N, got", arguments[next]);
    }
    char **given = arguments + next;
    int left = count - next;
    const char *host = left > 0 ? given[0] : told("STERNHALMA_HOST");
    const char *port = left > 1 ? given[1] : left ? "" : told("STERNHALMA_PORT");
    name = left > 2 ? given[2] : left ? "" : told("STERNHALMA_NAME");
    if (streams && !*name)
        name = "strong";
    if (left > 3 || (streams && left) || (!streams && (!*host || !*port || !*name)))
        fail("usage: strong [OPTIONS] HOST PORT NAME, or strong [OPTIONS] --stdio", "");
    signal(SIGPIPE, SIG_IGN); /* a closed connection is told by write, in words */
    if (!streams)
        dial(host, port);
    converse();
}
