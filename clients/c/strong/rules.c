/* Boards, points and rule sets: everything is computed from coordinates, nothing is typed in.
 *
 * The star lies in a square of 17 rows and 17 numbers, of which one diagonal direction is left out.
 * Three axes that add up to nought tell its holes: it is the union of two triangles, and a point is
 * where one axis leaves -4..4.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "strong.h"

enum { MARGIN = 2, STAR_SIDE = 17, HALMA_SIDE = 16, CENTRE = 8 };

static int cell_at(int row, int column)
{
    return (row + MARGIN) * WIDTH + column + MARGIN;
}

static int row_of(int cell)
{
    return cell / WIDTH - MARGIN;
}

static int column_of(int cell)
{
    return cell % WIDTH - MARGIN;
}

typedef struct {
    int u, v, w;
} Axes;

static Axes axes_of(int row, int column)
{
    return (Axes){column - CENTRE, CENTRE - row, row - column};
}

static bool on_star(int row, int column)
{
    Axes a = axes_of(row, column);
    return (a.u >= -4 && a.v >= -4 && a.w >= -4) || (a.u <= 4 && a.v <= 4 && a.w <= 4);
}

static bool in_star_point(int colour, int cell)
{
    Axes a = axes_of(row_of(cell), column_of(cell));
    const bool beyond[COLOURS] = {a.v > 4, a.w < -4, a.u > 4, a.v < -4, a.w > 4, a.u < -4};
    return beyond[colour];
}

/* A camp lies in a corner: at most `side` along both edges, cut off by a diagonal. */
static bool in_camp(int colour, int cell, int side)
{
    int row = row_of(cell), column = column_of(cell);
    int down = colour < 2 ? row : HALMA_SIDE - 1 - row;
    int along = colour == 0 || colour == 3 ? column : HALMA_SIDE - 1 - column;
    return down <= side && along <= side && down + along <= side + 1;
}

int turned(const Rules *rules, int cell)
{
    if (rules->halma)
        return cell_at(column_of(cell), HALMA_SIDE - 1 - row_of(cell));
    Axes a = axes_of(row_of(cell), column_of(cell));
    return cell_at(CENTRE + a.u, CENTRE - a.w);
}

int parse_hole(const Rules *rules, const char *text, int length)
{
    if (length < 2 || length > 3)
        return -1;
    int letter = text[0] - 'a', number = atoi(text + 1) - 1;
    if (letter < 0 || letter >= STAR_SIDE || number < 0 || number >= STAR_SIDE)
        return -1;
    if (!rules->halma)
        return on_star(letter, number) ? cell_at(letter, number) : -1;
    bool there = letter < HALMA_SIDE && number < HALMA_SIDE;
    return there ? cell_at(HALMA_SIDE - 1 - number, letter) : -1;
}

void format_hole(const Rules *rules, int cell, char *text)
{
    int row = row_of(cell), column = column_of(cell);
    int letter = rules->halma ? column : row;
    int number = rules->halma ? HALMA_SIDE - row : column + 1;
    text[0] = (char)('a' + letter);
    snprintf(text + 1, 3, "%u", (unsigned)number % 100);
}

void distances(const Rules *rules, const bool *goal, int *steps)
{
    int queue[HOLES], filled = 0;
    for (int cell = 0; cell < CELLS; cell++)
        steps[cell] = -1;
    bool on_board[CELLS] = {false};
    for (int i = 0; i < rules->hole_count; i++) {
        int hole = rules->holes[i];
        on_board[hole] = true;
        if (goal[hole]) {
            steps[hole] = 0;
            queue[filled++] = hole;
        }
    }
    for (int done = 0; done < filled; done++)
        for (int d = 0; d < rules->direction_count; d++) {
            int next = queue[done] + rules->directions[d];
            if (on_board[next] && steps[next] < 0) {
                steps[next] = steps[queue[done]] + 1;
                queue[filled++] = next;
            }
        }
}

static void lay_out(Rules *rules)
{
    static const int ways[8][2] = {{0, 1}, {0, -1}, {1, 0},  {-1, 0},
                                   {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    rules->direction_count = rules->halma ? 8 : 6;
    for (int d = 0; d < rules->direction_count; d++)
        rules->directions[d] = ways[d][0] * WIDTH + ways[d][1];
    int side = rules->halma ? HALMA_SIDE : STAR_SIDE;
    for (int row = 0; row < side; row++)
        for (int column = 0; column < side; column++)
            if (rules->halma || on_star(row, column))
                rules->holes[rules->hole_count++] = cell_at(row, column);
}

static int neighbours(const Rules *rules, int hole, const bool *among)
{
    int count = 0;
    for (int d = 0; d < rules->direction_count; d++)
        count += among[hole + rules->directions[d]];
    return count;
}

static void lay_lanes(Rules *rules, bool fifteen)
{
    bool everywhere[CELLS] = {false}, in_a_point[CELLS] = {false}, point[COLOURS][CELLS] = {{false}};
    for (int i = 0; i < rules->hole_count; i++) {
        int hole = rules->holes[i];
        everywhere[hole] = true;
        for (int colour = 0; colour < rules->colours; colour++) {
            point[colour][hole] = rules->halma ? in_camp(colour, hole, rules->marbles == 19 ? 4 : 3)
                                               : in_star_point(colour, hole);
            in_a_point[hole] |= point[colour][hole];
        }
    }
    for (int colour = 0; colour < rules->colours; colour++) {
        Lane *lane = &rules->lanes[colour];
        int half = rules->colours / 2;
        memcpy(lane->start, point[colour], sizeof lane->start);
        memcpy(lane->target, point[(colour + half) % rules->colours], sizeof lane->target);
        int fewest = 9;
        for (int i = 0; i < rules->hole_count; i++) {
            int hole = rules->holes[i];
            bool in_front = !in_a_point[hole] && neighbours(rules, hole, lane->target) > 0;
            lane->fill[hole] = lane->target[hole] || (fifteen && in_front);
            lane->fill_size += lane->fill[hole];
            lane->ends[hole] = !rules->own_points || !in_a_point[hole] || lane->start[hole]
                               || lane->target[hole];
            int near = neighbours(rules, hole, everywhere);
            if (lane->target[hole] && near < fewest) {
                fewest = near;
                lane->tip = hole;
            }
        }
    }
}

bool read_rules(Rules *rules, const char *id)
{
    memset(rules, 0, sizeof *rules);
    if (strlen(id) >= sizeof rules->id)
        return false;
    strcpy(rules->id, id);
    char words[sizeof rules->id], *rest = NULL;
    strcpy(words, id);
    char *base = strtok_r(words, "+", &rest);
    bool fifteen = false;
    if (!base)
        return false;
    if (strcmp(base, "tara") == 0) {
        rules->lock = LOCK_ENDS;
        rules->filling = FILL_HOST_LATER;
        rules->own_points = true;
    } else if (strcmp(base, "duel") == 0) {
        rules->lock = LOCK_NONE;
        rules->filling = FILL_OWN;
    } else if (strcmp(base, "corner") == 0 || strncmp(base, "halma1", 6) == 0) {
        rules->lock = LOCK_LANDINGS;
        rules->filling = FILL_ANY;
    } else {
        return false;
    }
    rules->halma = strncmp(base, "halma", 5) == 0;
    rules->colours = rules->halma ? 4 : 6;
    rules->marbles = !rules->halma ? 10 : base[6] == '9' ? 19 : 13;
    for (char *option; (option = strtok_r(NULL, "+", &rest));) {
        if (strcmp(option, "long") == 0) {
            rules->long_hops = true;
        } else if (strcmp(option, "through") == 0) {
            rules->own_points = true;
        } else if (strcmp(option, "out40") == 0) {
            rules->clear_by = 40;
            rules->filling = FILL_OWN;
        } else if (strcmp(option, "pairs") == 0) {
            rules->pairs = true;
        } else if (strcmp(option, "15") == 0) {
            fifteen = true;
        } else if (strcmp(option, "2c") && strcmp(option, "3c") && strcmp(option, "first")) {
            return false; /* those three are told by the seats, or change no move */
        }
    }
    lay_out(rules);
    lay_lanes(rules, fifteen);
    if (fifteen)
        rules->marbles = 15;
    return true;
}
