/* The least that the same traffic can cost: the lines of a league server without a referee.
 *
 *     floor GAMES
 *
 * It prints its port, seats two connections a game, asks each in turn and tells each the move of
 * the other, with one send a move and nothing judged. It ends with its standard input.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define INPUT UINT32_MAX

typedef struct {
    int seats[2];
    int ply;
} Game;

static void must(int holds, const char *what)
{
    if (!holds) {
        perror(what);
        exit(1);
    }
}

static void say(int to, const char *text, int length)
{
    must(send(to, text, (size_t)length, MSG_NOSIGNAL) == length, "floor: send");
}

static void ask(const Game *game, int number, const char *path)
{
    char text[512];
    int length = 0;
    if (path)
        length = sprintf(text, "moved %d %d %c %.64s charged=0.000 left=60000\n", number,
                         game->ply - 1, "DA"[game->ply % 2 == 0], path);
    length += sprintf(text + length,
                      "turn %d %d 60000 duel A/AA/AAA/AAAA/13/12/11/10/9/10/11/12/13/DDDD/DDD/DD/D"
                      " A,D %c 0,0 -\n",
                      number, game->ply, "DA"[game->ply % 2]);
    say(game->seats[(game->ply - 1) % 2], text, length);
}

static void hear(Game *game, int number)
{
    char line[1024];
    ssize_t count = recv(game->seats[(game->ply - 1) % 2], line, sizeof line - 1, 0);
    if (count <= 0) /* the load has seen enough */
        exit(0);
    line[count - 1] = 0;
    char *path = strrchr(line, ' ');
    game->ply++;
    ask(game, number, path ? path + 1 : line);
}

int main(int argc, char **argv)
{
    int games = argc > 1 ? atoi(argv[1]) : 1, one = 1;
    int listener = socket(AF_INET, SOCK_STREAM, 0), poller = epoll_create1(0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    Game *table = calloc((size_t)games, sizeof *table);
    char login[128];

    must(table && poller >= 0, "floor: memory");
    must(!bind(listener, (struct sockaddr *)&address, size), "floor: bind");
    must(!listen(listener, 1024), "floor: listen");
    must(!getsockname(listener, (struct sockaddr *)&address, &size), "floor: name");
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (int i = 0; i < 2 * games; i++) {
        int seat = table[i / 2].seats[i % 2] = accept(listener, NULL, NULL);
        must(seat >= 0, "floor: accept");
        setsockopt(seat, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        say(seat, "sternhalma 1\n", 13);
    }
    for (int i = 0; i < 2 * games; i++) {
        char line[64];
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)(i / 2)};
        must(recv(table[i / 2].seats[i % 2], login, sizeof login, 0) > 0, "floor: login");
        say(table[i / 2].seats[i % 2], line, sprintf(line, "game %d duel %c\n", i / 2, "AD"[i % 2]));
        must(!epoll_ctl(poller, EPOLL_CTL_ADD, table[i / 2].seats[i % 2], &event), "floor: epoll");
    }
    for (int i = 0; i < games; i++) {
        table[i].ply = 1;
        ask(&table[i], i, NULL);
    }
    struct epoll_event events[256], input = {.events = EPOLLIN, .data.u32 = INPUT};
    must(!epoll_ctl(poller, EPOLL_CTL_ADD, STDIN_FILENO, &input), "floor: standard input");
    for (;;) {
        int count = epoll_wait(poller, events, 256, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.u32 == INPUT)
                return 0;
            hear(&table[events[i].data.u32], (int)events[i].data.u32);
        }
    }
}
