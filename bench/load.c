/* Instant (or thinking) bots, thousands in one process, to load a league server with.
 *
 *     load PORT SEATS SERVER_PID WARM_UP MOVES LIMIT_US THINK_MIN_US THINK_MAX_US [SCRIPT]
 *
 * One thread and one epoll, so that the server and not this program is what is measured. The seats
 * log in as b0, b1, ... and answer by the ply alone: without a script they move one marble out and
 * back, which is legal for ever in `duel`; a script has the move of each ply on a line.
 *
 * When every seat has a game, or for a second nobody has got one, "ready" and how many have one are
 * printed and a line on the standard input awaited; until then instant bots hold their answers.
 * After WARM_UP more moves it counts MOVES moves and prints what it saw as `key value` lines, times
 * in nanoseconds. The server's processor time, all its threads and none of its children, is read
 * from its process clock at both ends of the window.
 *
 * Two measures of a bot's own time for a move, both to the return of its send:
 *   seen  from the return of the read that had the turn;
 *   net   from the kernel's stamp of the turn's arrival: without this program's own lateness, which
 *         a bot that is alone in its process does not have.
 * The clock's error is the time charged less the bot's own.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define PATIENCE (120 * SECOND) /* until games have begun */
#define LINE_MAX_BYTES 2048
#define AT_ONCE 256 /* connections that have not been greeted yet: fewer than a listener's backlog */

typedef struct {
    int fd;
    bool greeted;
    bool seated;
    bool asked; /* a turn waits for an answer */
    bool answered; /* `moved` for the last answer is awaited */
    char letter;
    char game[24];
    long ply;
    int64_t arrived, read_at; /* of the turn */
    int64_t seen, net; /* own time for the last answer */
    size_t have;
    char buffer[LINE_MAX_BYTES];
} Bot;

typedef struct {
    int64_t due;
    int bot;
    long ply;
} Thought;

static Bot *bots;
static int seats, poller;
static int connecting, next_to_connect, greeted, seated, seated_at_begin;
static struct sockaddr_in address;

static char **script;
static long script_length;

static long warm_up, wanted, sent;
static int64_t limit, think_min, think_max;
static bool ready; /* everybody has a game */
static long sent_before; /* of `sent`, until then */
static int64_t last_seated; /* when somebody last got a game */

static int64_t *errors_seen, *errors_net;
static long measured;
static long forfeits, false_forfeits, games_over, notes;
static int64_t wall_begin, wall_end, cpu_begin, cpu_end, own_begin, own_end;
static clockid_t server_clock;

static Thought *heap;
static long heap_size;

static void die(const char *format, ...)
{
    va_list rest;
    va_start(rest, format);
    fputs("load: ", stderr);
    vfprintf(stderr, format, rest);
    fputc('\n', stderr);
    va_end(rest);
    exit(1);
}

static int64_t time_of(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) < 0)
        die("expected a clock that can be read: %s", strerror(errno));
    return now.tv_sec * SECOND + now.tv_nsec;
}

static uint64_t draw(void) /* xorshift64*: the same thoughts in every run */
{
    static uint64_t state = 88172645463325252ULL;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717ULL;
}

static void push(Thought thought)
{
    if (heap_size == 8L * seats)
        die("expected at most 8 thoughts a seat");
    long at = heap_size++;
    while (at > 0 && heap[(at - 1) / 2].due > thought.due) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = thought;
}

static Thought pop(void)
{
    Thought top = heap[0], last = heap[--heap_size];
    long at = 0;
    for (;;) {
        long child = 2 * at + 1;
        if (child >= heap_size)
            break;
        if (child + 1 < heap_size && heap[child + 1].due < heap[child].due)
            child++;
        if (heap[child].due >= last.due)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

static void connect_next(void)
{
    while (next_to_connect < seats && connecting < AT_ONCE) {
        Bot *bot = &bots[next_to_connect];
        int one = 1;
        bot->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (bot->fd < 0)
            die("expected a socket for seat %d: %s", next_to_connect, strerror(errno));
        setsockopt(bot->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        setsockopt(bot->fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof one);
        if (connect(bot->fd, (struct sockaddr *)&address, sizeof address) < 0
            && errno != EINPROGRESS)
            die("expected to connect seat %d: %s", next_to_connect, strerror(errno));
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)next_to_connect};
        if (epoll_ctl(poller, EPOLL_CTL_ADD, bot->fd, &event) < 0)
            die("expected to watch seat %d: %s", next_to_connect, strerror(errno));
        connecting++;
        next_to_connect++;
    }
}

static void say(Bot *bot, const char *line, size_t length)
{
    if (send(bot->fd, line, length, MSG_NOSIGNAL) != (ssize_t)length)
        die("expected a whole line to be taken from seat %d: %s", (int)(bot - bots),
            strerror(errno));
}

static const char *move_at(char letter, long ply)
{
    if (script)
        return script[(ply - 1) % script_length];
    bool back = (ply - 1) / 2 % 2;
    if (letter == 'A')
        return back ? "e5-d5" : "d5-e5";
    return back ? "m10-n10" : "n10-m10";
}

static long counted(void)
{
    return sent - sent_before;
}

static void answer(Bot *bot)
{
    char line[512];
    int length = snprintf(
        line, sizeof line, "move %s %ld %s\n", bot->game, bot->ply, move_at(bot->letter, bot->ply));
    say(bot, line, (size_t)length);
    int64_t now = time_of(CLOCK_MONOTONIC);
    bot->seen = now - bot->read_at;
    bot->net = now - bot->arrived;
    bot->asked = false;
    bot->answered = true;
    sent++;
    if (!ready)
        sent_before = sent;
    if (counted() == warm_up) {
        cpu_begin = time_of(server_clock);
        own_begin = time_of(CLOCK_PROCESS_CPUTIME_ID);
        wall_begin = now;
    } else if (counted() == warm_up + wanted) {
        cpu_end = time_of(server_clock);
        own_end = time_of(CLOCK_PROCESS_CPUTIME_ID);
        wall_end = now;
    }
}

static void consider(Bot *bot)
{
    if (think_max == 0) {
        if (ready)
            answer(bot);
        return;
    }
    /* Thought begins when the turn arrived, so this program's lateness is part of it. */
    int64_t span = think_max - think_min + 1;
    int64_t think = think_min + (int64_t)(draw() % (uint64_t)span);
    push((Thought){bot->arrived + think, (int)(bot - bots), bot->ply});
}

static void over(Bot *bot, char *line)
{
    char *seat = strstr(line, " seat=");
    if (!bot->seated)
        die("expected a game before its end: %s", line);
    bot->seated = false;
    seated -= !ready;
    games_over++;
    if (seat && seat[6] == bot->letter) {
        forfeits++;
        int64_t own = bot->asked ? time_of(CLOCK_MONOTONIC) - bot->arrived : bot->net;
        if (strstr(line, " time ") && own <= limit)
            false_forfeits++;
        else if (!strstr(line, " time "))
            die("expected no forfeit but by time: %s", line);
    }
    bot->asked = bot->answered = false;
}

/* One line, ended by a zero byte; its length for the login line. */
static void hear(Bot *bot, char *line, int64_t arrived, int64_t read_at)
{
    if (!strncmp(line, "turn ", 5)) {
        if (sscanf(line, "turn %23s %ld ", bot->game, &bot->ply) != 2)
            die("expected 'turn GAME PLY', got %s", line);
        bot->arrived = arrived;
        bot->read_at = read_at;
        bot->asked = true;
        consider(bot);
    } else if (!strncmp(line, "moved ", 6)) {
        char game[24], seat;
        long ply, whole, part;
        char *charged = strstr(line, " charged=");
        if (sscanf(line, "moved %23s %ld %c", game, &ply, &seat) != 3 || !charged
            || sscanf(charged, " charged=%ld.%ld", &whole, &part) != 2)
            die("expected 'moved GAME PLY SEAT ... charged=', got %s", line);
        if (seat == bot->letter && bot->answered) {
            if (ply != bot->ply)
                die("expected ply %ld, got %s", bot->ply, line);
            bot->answered = false;
            if (counted() > warm_up && measured < wanted) {
                int64_t charge = whole * 1000000 + part * 1000;
                errors_seen[measured] = charge - bot->seen;
                errors_net[measured++] = charge - bot->net;
            }
        }
    } else if (!strncmp(line, "game ", 5)) {
        if (sscanf(line, "game %23s %*s %c", bot->game, &bot->letter) != 2)
            die("expected 'game GAME RULES SEAT', got %s", line);
        bot->seated = true;
        bot->answered = false;
        seated += !ready;
        last_seated = read_at;
    } else if (!strncmp(line, "over ", 5)) {
        over(bot, line);
    } else if (!strncmp(line, "sternhalma ", 11)) {
        char login[64];
        int length = snprintf(login, sizeof login, "login b%d\n", (int)(bot - bots));
        bot->greeted = true;
        greeted++;
        connecting--;
        say(bot, login, (size_t)length);
        connect_next();
    } else if (!strncmp(line, "note ", 5)) {
        notes++;
    } else if (strncmp(line, "welcome ", 8) != 0) {
        die("seat %d expected nothing but the game, got %s", (int)(bot - bots), line);
    }
}

static void hear_all(Bot *bot)
{
    char ancillary[128];
    struct iovec into = {bot->buffer + bot->have, sizeof bot->buffer - bot->have};
    struct msghdr message = {
        .msg_iov = &into, .msg_iovlen = 1, .msg_control = ancillary,
        .msg_controllen = sizeof ancillary};
    ssize_t count = recvmsg(bot->fd, &message, 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (count <= 0)
        die("seat %d lost its connection: %s", (int)(bot - bots),
            count ? strerror(errno) : "end of file");
    int64_t now = time_of(CLOCK_MONOTONIC), arrived = now;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            int64_t age = time_of(CLOCK_REALTIME) - (stamp.tv_sec * SECOND + stamp.tv_nsec);
            if (age > 0 && age < SECOND)
                arrived = now - age;
        }
    bot->have += (size_t)count;
    char *begin = bot->buffer, *end = bot->buffer + bot->have, *stop;
    while ((stop = memchr(begin, '\n', (size_t)(end - begin)))) {
        *stop = 0;
        hear(bot, begin, arrived, now);
        begin = stop + 1;
    }
    bot->have = (size_t)(end - begin);
    if (bot->have == sizeof bot->buffer)
        die("seat %d expected lines of less than %d bytes", (int)(bot - bots), LINE_MAX_BYTES);
    memmove(bot->buffer, begin, bot->have);
}

static void begin(void)
{
    char line[16];
    printf("ready %d\n", seated);
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        die("expected a line on the standard input");
    ready = true;
    seated_at_begin = seated;
    for (int i = 0; think_max == 0 && i < seats; i++)
        if (bots[i].asked) {
            consider(&bots[i]);
            bots[i].answered = false; /* it was held back: its time tells nothing */
        }
}

static void play(void)
{
    struct epoll_event events[512];
    int64_t began = time_of(CLOCK_MONOTONIC), silent_since = began;
    while (counted() < warm_up + wanted || measured < wanted) {
        struct timespec wait = {ready ? 5 : 0, ready ? 0 : SECOND / 10};
        int64_t now = time_of(CLOCK_MONOTONIC);
        while (heap_size && heap[0].due <= now) {
            Thought thought = pop();
            Bot *bot = &bots[thought.bot];
            if (bot->asked && bot->ply == thought.ply)
                answer(bot);
            now = time_of(CLOCK_MONOTONIC);
        }
        if (heap_size && heap[0].due - now < (ready ? 5 * SECOND : SECOND / 10)) {
            wait.tv_sec = (heap[0].due - now) / SECOND;
            wait.tv_nsec = (heap[0].due - now) % SECOND;
        }
        int count = epoll_pwait2(poller, events, 512, &wait, NULL);
        if (count < 0 && errno != EINTR)
            die("expected events: %s", strerror(errno));
        for (int i = 0; i < count; i++)
            hear_all(&bots[events[i].data.u32]);
        now = time_of(CLOCK_MONOTONIC);
        if (!ready && (seated == seats || (seated > seats / 2 && now - last_seated > SECOND)))
            begin();
        if (!ready && now - began > PATIENCE)
            die("expected all to be seated within %lld s, got %d of %d", PATIENCE / SECOND, seated, seats);
        if (count > 0)
            silent_since = now;
        else if (now - silent_since > 90 * SECOND)
            die("expected something to happen: %d of %d greeted, %d seated, %ld moves", greeted,
                seats, seated, sent);
        /* A move that was answered by the end of its game is never told: count no longer. */
        if (counted() > warm_up + wanted + 4L * seats)
            break;
    }
}

static int ascending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void report(const char *name, int64_t *errors)
{
    if (!measured)
        return;
    qsort(errors, (size_t)measured, sizeof *errors, ascending);
    printf("%s_p50 %lld\n", name, (long long)errors[measured / 2]);
    printf("%s_p99 %lld\n", name, (long long)errors[measured - 1 - measured / 100]);
    printf("%s_max %lld\n", name, (long long)errors[measured - 1]);
    printf("%s_min %lld\n", name, (long long)errors[0]);
}

static void read_script(const char *path)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        die("expected a script at %s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        script = realloc(script, (size_t)(script_length + 1) * sizeof *script);
        if (!script || !(script[script_length++] = strdup(line)))
            die("expected memory for the script");
    }
    fclose(file);
    if (!script_length)
        die("expected moves in %s", path);
}

int main(int argc, char **argv)
{
    if (argc < 9)
        die("expected PORT SEATS SERVER_PID WARM_UP MOVES LIMIT_US THINK_MIN_US THINK_MAX_US");
    seats = atoi(argv[2]);
    warm_up = atol(argv[4]);
    wanted = atol(argv[5]);
    limit = atoll(argv[6]) * 1000;
    think_min = atoll(argv[7]) * 1000;
    think_max = atoll(argv[8]) * 1000;
    if (argc > 9)
        read_script(argv[9]);
    if (seats < 2 || warm_up < 1 || wanted < 1)
        die("expected 2 seats or more, and 1 move or more before and in the window");
    address = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(argv[1])),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (clock_getcpuclockid((pid_t)atol(argv[3]), &server_clock))
        die("expected the process id of the server, got %s", argv[3]);
    /* Bots that think sleep most of the time. Woken late they would lose by their own fault, which
       tells nothing of the server: they go first where that is allowed. */
    struct sched_param first = {.sched_priority = 1};
    if (think_max && sched_setscheduler(0, SCHED_FIFO, &first) < 0)
        fprintf(stderr, "load: bots may wake late: %s\n", strerror(errno));
    struct rlimit files;
    if (!getrlimit(RLIMIT_NOFILE, &files)) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
    }
    bots = calloc((size_t)seats, sizeof *bots);
    heap = calloc((size_t)(8 * seats), sizeof *heap);
    errors_seen = calloc((size_t)wanted, sizeof *errors_seen);
    errors_net = calloc((size_t)wanted, sizeof *errors_net);
    poller = epoll_create1(0);
    if (!bots || !heap || !errors_seen || !errors_net || poller < 0)
        die("expected memory for %d seats", seats);
    connect_next();
    play();
    printf("seats %d\nmoves %ld\nwall %lld\ncpu %lld\nown_cpu %lld\n", seated_at_begin, wanted,
           (long long)(wall_end - wall_begin), (long long)(cpu_end - cpu_begin),
           (long long)(own_end - own_begin));
    printf("games_over %ld\nforfeits %ld\nfalse_forfeits %ld\nnotes %ld\n", games_over / 2,
           forfeits, false_forfeits, notes);
    report("seen", errors_seen);
    report("net", errors_net);
    return 0;
}
