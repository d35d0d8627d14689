/* A chess program that answers at once: knights out and back, by the length of the game alone.
 *
 * What a UCI host spends on it is the host's own cost of asking for a move.
 */
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char *const moves[] = {"g1f3", "g8f6", "f3g1", "f6g8"};
    static char line[65536];
    int plies = 0;

    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "uci\n", 4)) {
            puts("id name instant\nid author bench\nuciok");
        } else if (!strncmp(line, "isready", 7)) {
            puts("readyok");
        } else if (!strncmp(line, "position", 8)) {
            const char *at = strstr(line, " moves");
            plies = 0;
            for (at = at ? at + 6 : ""; *at; at++)
                plies += *at == ' ';
        } else if (!strncmp(line, "go", 2)) {
            printf("bestmove %s\n", moves[plies % 4]);
        } else if (!strncmp(line, "quit", 4)) {
            break;
        }
        fflush(stdout);
    }
    return 0;
}
