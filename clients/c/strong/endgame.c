/* How many moves an army needs that has come near its target and is alone there.
 *
 * The region of a colour is what it has to fill and the holes in front of that, nearest first, as
 * many as keep the table small: 21 on the star, for 352,716 places of ten marbles. The table is
 * made backwards from the full target: a move back is a move but for the lock, which has to be read
 * the other way round. It is right for one army without any other marble in the region that stays
 * there; a way around through other holes could only be shorter. Long hops are left out, and the
 * stricter lock is taken where there are two, so that what it promises holds under all rules.
 *
 * All colours share the table of the first, whose region is turned to where theirs is.
 */

#include <stdlib.h>
#include <string.h>

#include "strong.h"

enum { MOST_HOLES = 24, MOST_PLACES = 600000, AT_ONCE = 256 };

static struct {
    char id[64];
    int size, marbles; /* holes in the region, of which `inside` are set for the target point */
    uint32_t inside;
    int8_t step[MOST_HOLES][8]; /* the neighbour in each direction, -1 for none in the region */
    uint32_t bits[COLOURS][CELLS];
    uint8_t *left; /* by the set of holes taken */
    uint32_t *queue;
    int done, filled;
    bool ready;
} table;

uint32_t region_bit(int colour, int cell)
{
    return table.bits[colour][cell];
}

int moves_left(uint32_t near)
{
    return table.ready ? table.left[near] : FAR;
}

static long places(int holes, int marbles)
{
    long count = 1;
    for (int i = 1; i <= marbles; i++)
        count = count * (holes - marbles + i) / i;
    return count;
}

static void lay_out(const Rules *rules)
{
    const Lane *lane = &rules->lanes[0];
    int steps[CELLS], cells[MOST_HOLES], farthest = 0;
    bool barred[CELLS] = {false};
    for (int colour = 0; colour < rules->colours; colour++)
        for (int cell = 0; cell < CELLS; cell++)
            barred[cell] |= rules->lanes[colour].start[cell] && !lane->fill[cell];
    distances(rules, lane->fill, steps);
    while (table.size < MOST_HOLES && places(table.size + 1, table.marbles) <= MOST_PLACES) {
        int before = table.size;
        for (int i = 0; i < rules->hole_count && table.size < MOST_HOLES; i++) {
            int cell = rules->holes[i];
            if (steps[cell] == farthest && !barred[cell]
                && places(table.size + 1, table.marbles) <= MOST_PLACES)
                cells[table.size++] = cell;
        }
        farthest += 1;
        if (before == table.size && farthest > 4)
            break;
    }
    for (int i = 0; i < table.size; i++) {
        table.inside |= (uint32_t)lane->target[cells[i]] << i;
        for (int d = 0; d < rules->direction_count; d++) {
            table.step[i][d] = -1;
            for (int j = 0; j < table.size; j++)
                if (cells[j] == cells[i] + rules->directions[d])
                    table.step[i][d] = (int8_t)j;
        }
        int cell = cells[i];
        for (int colour = 0; colour < rules->colours; colour++, cell = turned(rules, cell))
            table.bits[colour][cell] = 1u << i;
    }
}

/* Note that `places` can be left by a move of the marble that is now in `to`. */
static void go_back(uint32_t taken, int to, int directions)
{
    uint32_t others = taken & ~(1u << to), seen = taken;
    int stack[MOST_HOLES], height = 0, left = table.left[taken] + 1;
    for (int from = to;; from = stack[--height]) {
        for (int d = 0; d < directions; d++) {
            int over = table.step[from][d];
            if (over < 0)
                continue;
            int back = over;
            bool hop = others >> over & 1;
            if (hop)
                back = table.step[over][d];
            if (back < 0 || seen >> back & 1 || (!hop && from != to))
                continue;
            /* Who is inside stays inside; so who ends outside has come from outside. */
            if (table.inside >> back & 1 && !(table.inside >> from & 1))
                continue;
            seen |= 1u << back;
            if (hop)
                stack[height++] = back;
            uint32_t before = others | 1u << back;
            if (table.left[before] == FAR) {
                table.left[before] = (uint8_t)left;
                table.queue[table.filled++] = before;
            }
        }
        if (height == 0)
            return;
    }
}

void begin_endgame(const Rules *rules)
{
    if (strcmp(table.id, rules->id) == 0)
        return;
    free(table.left);
    free(table.queue);
    memset(&table, 0, sizeof table);
    memcpy(table.id, rules->id, sizeof table.id);
    table.marbles = rules->marbles;
    lay_out(rules);
    table.left = malloc((size_t)1 << table.size);
    table.queue = malloc((size_t)places(table.size, table.marbles) * sizeof *table.queue);
    if (!table.left || !table.queue)
        abort();
    memset(table.left, FAR, (size_t)1 << table.size);
    uint32_t full = (1u << rules->lanes[0].fill_size) - 1; /* they come first */
    table.left[full] = 0;
    table.queue[table.filled++] = full;
}

void go_on_with_endgame(const Rules *rules, bool (*enough)(void))
{
    while (!table.ready && !enough()) {
        for (int n = 0; n < AT_ONCE && table.done < table.filled; n++) {
            uint32_t taken = table.queue[table.done++];
            for (int hole = 0; hole < table.size; hole++)
                if (taken >> hole & 1)
                    go_back(taken, hole, rules->direction_count);
        }
        table.ready = table.done == table.filled;
    }
}
