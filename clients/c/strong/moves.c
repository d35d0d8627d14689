/* Positions: read from text, moved in, asked for moves. */

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "strong.h"

/* A number for a marble in a cell, by which positions are told apart: splitmix64. */
static uint64_t chance(uint64_t n)
{
    n = (n + 1) * 0x9e3779b97f4a7c15u;
    n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
    n = (n ^ n >> 27) * 0x94d049bb133111ebu;
    return n ^ n >> 31;
}

static uint64_t keys[COLOURS][CELLS];

static void draw_keys(void)
{
    for (int colour = 0; colour < COLOURS; colour++)
        for (int cell = 0; cell < CELLS; cell++)
            keys[colour][cell] = chance((uint64_t)(colour * CELLS + cell));
}

static void count_in(Position *position, int colour, int cell, int by)
{
    uint8_t fills = position->fills[cell];
    for (int other = 0; fills; other++, fills >>= 1)
        if (fills & 1)
            position->filled[other] = (uint8_t)(position->filled[other] + by);
    for (int other = 0; other < position->rules->colours; other++) {
        uint32_t bit = position->seat_of[other] < 0 ? 0 : region_bit(other, cell);
        if (other == colour)
            position->near[other] ^= bit;
        else if (bit)
            position->strange[other] = (uint8_t)(position->strange[other] + by);
    }
}

void make_move(Position *position, int colour, int from, int to)
{
    uint8_t place = position->place[from];
    position->marbles[colour][place] = (uint16_t)to;
    position->place[to] = place;
    position->at[to] = position->at[from];
    position->at[from] = EMPTY;
    position->hash ^= keys[colour][from] ^ keys[colour][to];
    count_in(position, colour, from, -1);
    count_in(position, colour, to, 1);
}

/* What one call of `list_moves` has at hand. */
typedef struct {
    Position *position;
    const Lane *lane;
    const bool *ends;
    const int *cost;
    int colour, from, loss;
    Move *moves;
    int count;
} Listing;

static void add_move(Listing *listing, int to)
{
    int gain = listing->cost[listing->from] - listing->cost[to];
    if (gain < -listing->loss || !listing->ends[to] || listing->count == OF_ONE)
        return;
    listing->moves[listing->count++] = (Move){.score = gain,
                                              .gain = gain,
                                              .from = (uint16_t)listing->from,
                                              .to = (uint16_t)to,
                                              .colour = (uint8_t)listing->colour};
}

/* Where a hop from `cell` in one direction lands, 0 where there is none. A long hop goes as far
 * beyond the nearest marble as that is away, and everything else on the way is empty. */
static int landing(const Position *position, int cell, int direction)
{
    const uint8_t *at = position->at;
    int over = cell + direction;
    if (position->rules->long_hops)
        while (at[over] == EMPTY)
            over += direction;
    if (at[over] == EMPTY || at[over] == OFF)
        return 0;
    int to = 2 * over - cell;
    for (int beyond = over + direction; beyond != to; beyond += direction)
        if (at[beyond] != EMPTY)
            return 0;
    return at[to] == EMPTY ? to : 0;
}

static void list_marble(Listing *listing)
{
    static uint32_t seen[CELLS], stamp;
    const Rules *rules = listing->position->rules;
    const Lane *lane = listing->lane;
    uint8_t *at = listing->position->at;
    int from = listing->from, stack[HOLES], height = 0;
    uint8_t marble = at[from];
    bool locked = rules->lock == LOCK_LANDINGS;
    listing->ends = rules->lock != LOCK_NONE && lane->target[from] ? lane->target : lane->ends;
    at[from] = EMPTY; /* it neither blocks a chain nor can it be hopped */
    seen[from] = ++stamp;
    for (int d = 0; d < rules->direction_count; d++)
        if (at[from + rules->directions[d]] == EMPTY)
            add_move(listing, from + rules->directions[d]);
    for (int cell = from;; cell = stack[--height]) {
        for (int d = 0; d < rules->direction_count; d++) {
            int to = landing(listing->position, cell, rules->directions[d]);
            if (!to || seen[to] == stamp || (locked && lane->target[cell] && !lane->target[to]))
                continue;
            seen[to] = stamp;
            stack[height++] = to;
            add_move(listing, to);
        }
        if (height == 0)
            break;
    }
    at[from] = marble;
}

int list_moves(Position *position, int colour, const int *cost, int loss, Move *moves)
{
    Listing listing = {.position = position,
                       .lane = &position->rules->lanes[colour],
                       .cost = cost,
                       .colour = colour,
                       .loss = loss,
                       .moves = moves};
    for (int i = 0; i < position->count[colour]; i++) {
        listing.from = position->marbles[colour][i];
        list_marble(&listing);
    }
    return listing.count;
}

static bool fills_target(const Position *position, int colour)
{
    const Lane *lane = &position->rules->lanes[colour];
    bool own = false;
    for (int i = 0; i < position->rules->hole_count; i++) {
        int hole = position->rules->holes[i];
        if (!lane->fill[hole])
            continue;
        int there = position->at[hole] - 1;
        if (there < 0 || (there != colour && !(position->helpers[colour] >> there & 1)))
            return false;
        own |= there == colour;
    }
    return own;
}

bool has_finished(const Position *position, int seat)
{
    for (int colour = 0; colour < position->rules->colours; colour++)
        if (position->seat_of[colour] == seat
            && (position->filled[colour] < position->rules->lanes[colour].fill_size
                || !fills_target(position, colour)))
            return false;
    return true;
}

static bool read_board(Position *position, const char *text)
{
    const Rules *rules = position->rules;
    int hole = 0;
    while (*text) {
        if (isdigit((unsigned char)*text)) {
            hole += (int)strtol(text, (char **)&text, 10);
            continue;
        }
        if (*text == '.')
            hole++;
        if (*text >= 'A' && *text < 'A' + rules->colours) {
            int colour = *text - 'A';
            if (hole >= rules->hole_count || position->count[colour] == MARBLES)
                return false;
            int cell = rules->holes[hole++];
            position->place[cell] = (uint8_t)position->count[colour];
            position->marbles[colour][position->count[colour]++] = (uint16_t)cell;
            position->at[cell] = (uint8_t)(colour + 1);
        }
        text++;
    }
    return hole == rules->hole_count;
}

/* `A,D` or `ACE,BDF` */
static void read_seats(Position *position, const char *text)
{
    for (int colour = 0; colour < COLOURS; colour++)
        position->seat_of[colour] = -1;
    position->seats = 1;
    for (; *text; text++) {
        if (*text == ',')
            position->seats++;
        else if (*text >= 'A' && *text < 'A' + position->rules->colours)
            position->seat_of[*text - 'A'] = position->seats - 1;
    }
}

/* `C,A=D,!B` or `-` */
static void read_done(Position *position, const char *text)
{
    bool out = false;
    for (; *text; text++) {
        if (*text >= 'A' && *text < 'A' + COLOURS && position->seat_of[*text - 'A'] >= 0) {
            position->gone[position->seat_of[*text - 'A']] = true;
            position->out[position->seat_of[*text - 'A']] = out;
        }
        out = *text == '!';
    }
}

/* Whose marbles count in a target beside the own: rules.py of the engine, `Filling`. */
static uint8_t helpers_of(const Position *position, int colour)
{
    const Rules *rules = position->rules;
    int seat = position->seat_of[colour], partner = -1;
    uint8_t helping = 0;
    bool late = true;
    for (int other = 0; other < position->seats; other++)
        late &= position->gone[other] || position->turns_had[other] >= 30;
    if (rules->pairs)
        partner = (seat + position->seats / 2) % position->seats;
    for (int other = 0; other < rules->colours; other++) {
        int owner = position->seat_of[other];
        if (owner < 0)
            continue;
        bool host = other == (colour + rules->colours / 2) % rules->colours;
        if (position->out[owner] || (rules->filling == FILL_ANY && owner != partner)
            || (rules->filling == FILL_HOST_LATER && late && host))
            helping |= (uint8_t)(1 << other);
    }
    return helping;
}

bool read_position(Position *position, const Rules *rules, char *const *words)
{
    if (keys[0][0] == 0)
        draw_keys();
    memset(position, 0, sizeof *position);
    memset(position->at, OFF, sizeof position->at);
    position->rules = rules;
    for (int i = 0; i < rules->hole_count; i++) {
        int hole = rules->holes[i];
        position->at[hole] = EMPTY;
        for (int colour = 0; colour < rules->colours; colour++)
            position->fills[hole] |= (uint8_t)(rules->lanes[colour].fill[hole] << colour);
    }
    if (!read_board(position, words[1]) || strchr("ABCDEF", words[3][0]) == NULL)
        return false;
    read_seats(position, words[2]);
    position->turn = position->seat_of[words[3][0] - 'A'];
    if (position->turn < 0 || position->seats > COLOURS)
        return false;
    char *count = words[4];
    for (int seat = 0; seat < position->seats; seat++) {
        position->turns_had[seat] = (int)strtol(count, &count, 10);
        count += *count == ',';
    }
    read_done(position, words[5]);
    for (int colour = 0; colour < rules->colours; colour++) {
        if (position->seat_of[colour] >= 0)
            position->helpers[colour] = helpers_of(position, colour);
        for (int i = 0; i < position->count[colour]; i++) {
            int cell = position->marbles[colour][i];
            position->hash ^= keys[colour][cell];
            count_in(position, colour, cell, 1);
        }
    }
    return true;
}
