/* A whole bot for Sternhalma in C: copy this file, make `choose` better, and play.
 *
 *     cc -O2 -o sternhalma_bot sternhalma_bot.c
 *     ./sternhalma_bot HOST PORT NAME
 *
 * A server that starts bots itself tells them the same in STERNHALMA_HOST, STERNHALMA_PORT,
 * STERNHALMA_NAME, STERNHALMA_SLOT and STERNHALMA_TOKEN. The lines are explained in protocol.md.
 * Exit status: 0 if the event ended, 1 with a sentence on stderr if anything else did.
 */

#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_LINE = 65536, MAX_ANSWER = 1024, MAX_SEED = 64 }; /* bytes, LF included */

static int server;          /* the socket */
static char seed[MAX_SEED]; /* of this game, as it was told */

/* A number that is the same whenever the same turn comes again: FNV-1a over seed and ply, then the
 * finish of splitmix64. */
static uint64_t chance(const char *ply)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *at = seed; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    hash = (hash ^ ' ') * 0x100000001b3u;
    for (const char *at = ply; *at; at++)
        hash = (hash ^ (unsigned char)*at) * 0x100000001b3u;
    hash = (hash ^ hash >> 30) * 0xbf58476d1ce4e5b9u;
    hash = (hash ^ hash >> 27) * 0x94d049bb133111ebu;
    return hash ^ hash >> 31;
}

/* One of the `count` legal moves, each as `d5-e5`. A better bot looks at the board, which is the
 * fifth word of the `turn` line and the one behind the rules. */
static const char *choose(char *const *moves, size_t count, const char *ply)
{
    return moves[chance(ply) % count];
}

_Noreturn static void fail(const char *what, const char *why)
{
    fprintf(stderr, "sternhalma_bot: %s%s%s\n", what, *why ? ": " : "", why);
    exit(1);
}

/* Send one line, all of it and at once. */
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
        ssize_t n = send(server, line + sent, (size_t)(length - sent), 0);
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

static void log_in(const char *name)
{
    const char *slot = told("STERNHALMA_SLOT"), *token = told("STERNHALMA_TOKEN");
    say("login %s slot=%s moves=yes%s%s", name, *slot ? slot : "1", *token ? " token=" : "", token);
}

/* Split `line` at the characters of `at`, in place. */
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

/* turn GAME PLY MS and the six words of the position, then keys */
static void take_turn(char **words, size_t count)
{
    static char *moves[MAX_LINE / 2];
    char *list = count > 10 ? value_of("moves=", words + 10, count - 10) : NULL;
    size_t legal = list ? split(list, ",", moves, MAX_LINE / 2) : 0;
    if (legal == 0)
        fail("expected the legal moves with the turn, got none", "");
    say("move %s %s %s", words[1], words[2], choose(moves, legal, words[2]));
}

/* Do what `line` asks for. What a bot does not know it ignores. */
static void hear(char *line, const char *name)
{
    if (strncmp(line, "bye", 3) == 0 && (line[3] == ' ' || line[3] == '\0')) {
        if (strncmp(line, "bye event-over", 14) == 0)
            exit(0);
        fail("the server said", line);
    }
    if (strncmp(line, "error ", 6) == 0) /* what was sent cannot be played */
        fprintf(stderr, "sternhalma_bot: the server said: %s\n", line);
    char *words[64];
    size_t count = split(line, " ", words, 64);
    if (count == 0)
        return;
    if (strcmp(words[0], "sternhalma") == 0 && count > 1 && strcmp(words[1], "1") == 0) {
        log_in(name);
    } else if (strcmp(words[0], "game") == 0) {
        const char *given = value_of("seed=", words, count);
        snprintf(seed, sizeof seed, "%s", given ? given : "");
    } else if (strcmp(words[0], "turn") == 0) {
        take_turn(words, count);
    } else if (strcmp(words[0], "ping") == 0 && count > 1) {
        say("pong %s", words[1]);
    }
}

_Noreturn static void play(const char *name)
{
    static char buffer[MAX_LINE + 1];
    size_t filled = 0;
    for (;;) {
        ssize_t n = recv(server, buffer + filled, MAX_LINE - filled, 0);
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
            hear(start, name);
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
    server = -1;
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
}

int main(int count, char **arguments)
{
    const char *host = count > 1 ? arguments[1] : told("STERNHALMA_HOST");
    const char *port = count > 2 ? arguments[2] : count > 1 ? "" : told("STERNHALMA_PORT");
    const char *name = count > 3 ? arguments[3] : count > 1 ? "" : told("STERNHALMA_NAME");
    if (!*host || !*port || !*name || count > 4)
        fail("usage: sternhalma_bot HOST PORT NAME", "");
    signal(SIGPIPE, SIG_IGN); /* a closed connection is told by send, in words */
    dial(host, port);
    play(name);
}
