/* Which move to play: iterative deepening alpha-beta with a transposition table.
 *
 * There are two sides: the mover's colours, and those of all rivals. With two seats that is
 * alpha-beta as in any book. With more it is best-reply search: after each of our moves only one
 * rival answers, the one whose answer is worst for us. To let everybody move in turn costs so much
 * that the search would end before our own next move.
 *
 * With six seats more depth gives little, as five others move before we do again: 4,000 positions a
 * move scored 0.48 of the points in 77 games of tara against this bot at 700, where one half is
 * even. Tried there in 18 to 36 games each, and no better: a search between whose moves every rival
 * plays what gains it most (0.13), the outcomes of playouts of such moves (0.12), only the two or
 * three rivals nearest in the race (0.42), and gains that count more the earlier they come (0.45).
 * The standard error of 36 games is 0.055.
 *
 * A marble pays for each hole (`lay_costs`), and the score is what the rivals pay more than we. An
 * army near its target pays by the moves that it still needs, where endgame.c knows them; where that
 * is known of both sides, the race is decided and not searched any further.
 *
 * In order: the move that the table remembers, then by what a move gains and how often it has cut
 * off before. Late moves are searched less deep, and again in full if they turn out well.
 */

#define _POSIX_C_SOURCE 200809L

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "strong.h"

enum {
    STEP = 8,          /* what a step is worth twice: once to the tip, once to the gap */
    TO_LEAVE = 8,      /* steps' worth, where staying in the start too long loses */
    SLACK = STEP + 4,  /* the greatest loss of a move that is looked at */
    BREADTH = 24,      /* moves tried in a position */
    ROOT_BREADTH = 64, /* and at the root */
    DEEPEST = 40,
    WIN = 1000000,
    RACE = 500000, /* a race that is decided, less the moves until its end */
    DECIDED = 400000,
    MOVE_LEFT = 3 * STEP, /* what a move near the target is worth */
    RIVAL_HOME = 40 * STEP, /* a rival of several who finishes before us */
    REPEATED = 4 * STEP,    /* less for a position that we have led to before */
    TABLE_BITS = 20,
    REMEMBERED = 1024,
};

typedef struct {
    uint64_t key;
    int32_t value;
    uint16_t from, to;
    uint16_t turn;       /* values of other turns were made with other costs */
    int8_t depth, bound; /* the value is at least (1), at most (-1) or exactly (0) that */
} Entry;

static Entry *entries;
static Move lists[DEEPEST + 1][MOVES]; /* by distance from the root */
static int history[CELLS][CELLS];
static uint64_t led_to[REMEMBERED]; /* positions after our own moves of this game */
static int led;

/* One search. */
static Position *at;
static int cost[COLOURS][CELLS], side_of[COLOURS], own_weight, finished_cost[COLOURS];
static int paid[COLOURS]; /* what the marbles of each colour pay now */
static bool two_sides;
static uint16_t turn; /* which of our turns this is, over all games */
static double deadline;
static long visited, most_visited;
static bool stopped;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool is_late(void)
{
    return most_visited ? visited >= most_visited : now() >= deadline;
}

static bool never(void)
{
    return false;
}

/* What each hole costs a marble of `colour`. Outside: the steps to the tip, those to the nearest
 * hole that is still to be filled, and a little for being outside, which brings marbles in before
 * those inside tidy up; and more the farther behind, since the last ones decide the game. Inside:
 * the steps to the tip, which opens the front for the next. */
static void lay_costs(int colour)
{
    const Rules *rules = at->rules;
    const Lane *lane = &rules->lanes[colour];
    bool tip[CELLS] = {false}, gaps[CELLS] = {false}, others[CELLS] = {false}, left[CELLS];
    int to_tip[CELLS], to_gap[CELLS], to_leave[CELLS];
    bool any_empty = false, any_strange = false;
    for (int cell = 0; cell < CELLS; cell++) {
        any_empty |= lane->fill[cell] && at->at[cell] == EMPTY;
        any_strange |= lane->fill[cell] && at->at[cell] != colour + 1;
    }
    for (int cell = 0; cell < CELLS; cell++) {
        tip[cell] = cell == lane->tip;
        others[cell] = lane->fill[cell] && at->at[cell] != colour + 1;
        gaps[cell] = any_empty     ? lane->fill[cell] && at->at[cell] == EMPTY
                     : any_strange ? others[cell]
                                   : lane->fill[cell];
        left[cell] = rules->clear_by == 0 || !lane->start[cell];
    }
    distances(rules, tip, to_tip);
    distances(rules, gaps, to_gap);
    distances(rules, left, to_leave);
    finished_cost[colour] = paid[colour] = 0;
    for (int i = 0; i < rules->hole_count; i++) {
        int hole = rules->holes[i];
        int steps = to_tip[hole], half = STEP / 2;
        cost[colour][hole] = lane->fill[hole]
                                 ? half * steps
                                 : half * (steps + to_gap[hole] + 1 + TO_LEAVE * to_leave[hole])
                                       + steps * steps / 8;
        if (lane->fill[hole])
            finished_cost[colour] += half * steps;
    }
    for (int i = 0; i < at->count[colour]; i++)
        paid[colour] += cost[colour][at->marbles[colour][i]];
}

static int needs(int colour)
{
    if (at->strange[colour] || __builtin_popcount(at->near[colour]) < at->count[colour])
        return FAR;
    return moves_left(at->near[colour]);
}

/* The score that the position stands at, seen from `side`, to move, `ply` moves from the root. */
static int judge(int side, int ply)
{
    int pays[2] = {0, 0}, moves[2] = {0, 0};
    for (int colour = 0; colour < at->rules->colours; colour++) {
        if (side_of[colour] < 0)
            continue;
        int left = needs(colour), of = side_of[colour];
        pays[of] += left == FAR ? paid[colour] : finished_cost[colour] + MOVE_LEFT * left;
        moves[of] += left;
    }
    int mine = moves[side], theirs = moves[1 - side];
    if (two_sides && mine < FAR && theirs < FAR && !at->rules->long_hops)
        return mine <= theirs ? RACE - 2 * ply - 4 * mine + theirs
                              : -(RACE - 2 * ply - 4 * theirs + mine);
    int lead = pays[1] - own_weight * pays[0];
    return side == 0 ? lead : -lead;
}

static int list_side(int side, int loss, Move *moves)
{
    int count = 0;
    for (int colour = 0; colour < at->rules->colours; colour++)
        if (side_of[colour] == side)
            count += list_moves(at, colour, cost[colour], loss, moves + count);
    return count;
}

static void swap(Move *a, Move *b)
{
    Move between = *a;
    *a = *b;
    *b = between;
}

static void bring_best(Move *moves, int from, int count)
{
    int best = from;
    for (int i = from + 1; i < count; i++)
        if (moves[i].score > moves[best].score)
            best = i;
    swap(&moves[from], &moves[best]);
}

static void play(const Move *move, int sign)
{
    paid[move->colour] -= sign * move->gain;
    if (sign > 0)
        make_move(at, move->colour, move->from, move->to);
    else
        make_move(at, move->colour, move->to, move->from);
}

static int look(int side, int depth, int ply, int alpha, int beta);

/* What the move just played by `side` came to, if it ended the game or as good as. */
static bool has_ended(int side, int ply, int *value)
{
    for (int i = 0; i < 2; i++) {
        int of = i == 0 ? side : 1 - side; /* who finish at once: the mover counts first */
        for (int colour = 0; colour < at->rules->colours; colour++) {
            if (side_of[colour] != of || !has_finished(at, at->seat_of[colour]))
                continue;
            if (of == 0 || two_sides)
                *value = of == side ? WIN - ply : ply - WIN;
            else /* one of several rivals: bad, but there are more places */
                *value = (of == side ? 1 : -1) * RIVAL_HOME + judge(side, ply);
            return true;
        }
    }
    return false;
}

static int value_of(const Move *move, int side, int depth, int ply, int alpha, int beta)
{
    int value;
    play(move, 1);
    if (!has_ended(side, ply + 1, &value))
        value = -look(1 - side, depth - 1, ply + 1, -beta, -alpha);
    play(move, -1);
    return value;
}

/* One move more, without making it: only what it gains is counted. */
static int gain_at_once(int side, int score)
{
    static Move moves[MOVES];
    int count = list_side(side, 0, moves), best = 0;
    for (int i = 0; i < count; i++)
        if (moves[i].gain > best)
            best = moves[i].gain;
    return score + best * (side == 0 ? own_weight : 1);
}

static bool is_near_home(int side)
{
    for (int colour = 0; colour < at->rules->colours; colour++)
        if (side_of[colour] == side
            && __builtin_popcount(at->near[colour]) < at->count[colour] - 1)
            return false;
    return true;
}

static int look(int side, int depth, int ply, int alpha, int beta)
{
    visited++;
    if (visited % 512 == 0 && is_late())
        stopped = true;
    if (stopped)
        return 0;
    int score = judge(side, ply);
    if (depth <= 0 || abs(score) > DECIDED || ply >= DEEPEST)
        return score;
    if (depth == 1 && !is_near_home(side))
        return gain_at_once(side, score);
    uint64_t key = at->hash ^ (side ? 0x5bf03635f0a31e95u : 0);
    Entry *entry = &entries[key >> (64 - TABLE_BITS)];
    int known_from = 0, known_to = 0;
    if (entry->key == key && entry->turn == turn) {
        known_from = entry->from;
        known_to = entry->to;
        if (entry->depth >= depth && abs(entry->value) < DECIDED
            && (entry->bound == 0 || (entry->bound > 0 && entry->value >= beta)
                || (entry->bound < 0 && entry->value <= alpha)))
            return entry->value;
    }
    Move *moves = lists[ply];
    int count = list_side(side, SLACK, moves);
    if (count == 0)
        count = list_side(side, WIN, moves);
    for (int i = 0; i < count; i++)
        moves[i].score = moves[i].from == known_from && moves[i].to == known_to
                             ? WIN
                             : 64 * moves[i].gain + history[moves[i].from][moves[i].to];
    int best = -2 * WIN, from = 0, to = 0, first_alpha = alpha;
    if (count == 0) /* a pass */
        best = -look(1 - side, depth - 1, ply + 1, -beta, -alpha);
    for (int i = 0; i < count && i < BREADTH && alpha < beta; i++) {
        bring_best(moves, i, count);
        int less = depth < 3 || i < 4 ? 0 : i < 12 ? 1 : 2, value;
        if (i == 0) {
            value = value_of(&moves[i], side, depth, ply, alpha, beta);
        } else {
            value = value_of(&moves[i], side, depth - less, ply, alpha, alpha + 1);
            if (value > alpha && (less || value < beta))
                value = value_of(&moves[i], side, depth, ply, alpha, beta);
        }
        if (stopped)
            break;
        if (value > best) {
            best = value;
            from = moves[i].from;
            to = moves[i].to;
        }
        if (value > alpha)
            alpha = value;
    }
    if (stopped)
        return 0;
    if (alpha >= beta && count > 0) {
        history[from][to] += depth * depth;
        if (history[from][to] > 64 * STEP)
            for (int i = 0; i < CELLS * CELLS; i++)
                (&history[0][0])[i] /= 2;
    }
    int8_t bound = best >= beta ? 1 : best > first_alpha ? 0 : -1;
    *entry = (Entry){.key = key,
                     .value = best,
                     .from = (uint16_t)from,
                     .to = (uint16_t)to,
                     .turn = turn,
                     .depth = (int8_t)depth,
                     .bound = bound};
    return best;
}

/* Two who wait for each other could do so up to the turn limit: what does not come along is worth
 * less the longer the game takes, and so is what has been there before. */
static int penalty(const Move *move)
{
    int marbles = 0, times = 0;
    for (int colour = 0; colour < at->rules->colours; colour++)
        if (at->seat_of[colour] == at->turn)
            marbles += at->count[colour];
    play(move, 1);
    for (int i = 0; i < led; i++)
        times += led_to[i] == at->hash;
    play(move, -1);
    int late = at->turns_had[at->turn] - 2 * marbles;
    int waits = move->gain <= 0 && late > 0 ? late * STEP / 4 : 0;
    return own_weight * (times * REPEATED + waits);
}

static void set_up(Position *position)
{
    at = position;
    int me = at->turn, partner = at->rules->pairs ? (me + at->seats / 2) % at->seats : -1;
    int rivals = 0;
    bool rival[COLOURS] = {false};
    for (int seat = 0; seat < at->seats; seat++) {
        rival[seat] = seat != me && seat != partner && !at->gone[seat];
        rivals += rival[seat];
    }
    for (int colour = 0; colour < at->rules->colours; colour++) {
        int seat = at->seat_of[colour];
        side_of[colour] = seat < 0 ? -1 : seat == me ? 0 : rival[seat] ? 1 : -1;
        if (side_of[colour] >= 0)
            lay_costs(colour);
    }
    two_sides = rivals == 1;
    /* To lead each of five rivals by a step more takes one of our own; so with five it counts five
     * times: 0.53 of the points in 79 games, twice 0.48 in 77, which chance could do, but searched
     * two moves deep, where there is less of it, 0.34 against 0.27. With two and three rivals
     * nothing beat twice. */
    own_weight = rivals > 3 ? rivals : rivals > 1 ? 2 : 1;
    /* Nothing is taken over from the turns before, so that an answer depends on this game alone. */
    memset(history, 0, sizeof history);
    if (++turn == 0 && entries) {
        free(entries);
        entries = NULL;
    }
    if (!entries)
        entries = calloc((size_t)1 << TABLE_BITS, sizeof *entries);
    if (!entries)
        abort();
    stopped = false;
    visited = 0;
}

/* Search all moves of the root; the best so far stands in front, also when time runs out. */
static int look_from_root(Move *moves, int count, int depth)
{
    int best = -2 * WIN;
    for (int i = 0; i < count; i++) {
        Move move = moves[i];
        int less = penalty(&move), value = best + less + 1;
        if (i > 0)
            value = value_of(&move, 0, depth - (i >= 16 && depth > 3), 0, best + less,
                             best + less + 1);
        if (value > best + less && !stopped)
            value = value_of(&move, 0, depth, 0, i == 0 ? -2 * WIN : best + less, 2 * WIN);
        if (stopped)
            break;
        if (value - less > best || i == 0) {
            best = value - less;
            memmove(moves + 1, moves, (size_t)i * sizeof *moves);
            moves[0] = move;
        }
    }
    return best;
}

void new_game(void)
{
    led = 0;
}

Move choose(Position *position, Effort *effort)
{
    static Move moves[MOVES];
    double began = now();
    most_visited = 0;
    deadline = began + effort->seconds / 4;
    go_on_with_endgame(position->rules, effort->nodes ? never : is_late);
    set_up(position);
    most_visited = effort->nodes;
    deadline = began + effort->seconds;
    int count = list_side(0, SLACK, moves);
    if (count == 0)
        count = list_side(0, WIN, moves);
    for (int i = 0; i < count; i++)
        moves[i].score = 2 * moves[i].gain - penalty(&moves[i]);
    for (int i = 0; i < count && i < ROOT_BREADTH; i++)
        bring_best(moves, i, count);
    if (count > ROOT_BREADTH)
        count = ROOT_BREADTH;
    for (int depth = 1; depth < DEEPEST && count > 1; depth++) {
        int value = look_from_root(moves, count, depth);
        /* The next depth takes about three times as long as all before. */
        if (stopped || abs(value) > DECIDED
            || (!most_visited && now() > began + effort->seconds / 2))
            break;
        effort->depth = depth;
    }
    effort->visited = visited;
    play(&moves[0], 1);
    if (led < REMEMBERED)
        led_to[led++] = at->hash;
    play(&moves[0], -1);
    return moves[0];
}
