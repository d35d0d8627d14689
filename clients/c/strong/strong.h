/* What the parts of the strong bot know of each other.
 *
 *     rules.c    boards, points and rule sets
 *     moves.c    positions: read from text, moved in, asked for moves
 *     endgame.c  how many moves an army near its target still needs
 *     search.c   which move to play
 *     main.c     the conversation with the server
 *
 * A hole is a cell of a grid with a margin that is two cells wide, so that a hop over the edge needs
 * no test of its own: what is no hole is never empty and never a marble.
 */

#ifndef STRONG_H
#define STRONG_H

#include <stdbool.h>
#include <stdint.h>

enum {
    WIDTH = 20, /* of the grid: 17 holes and a margin, which the ends of two rows share */
    CELLS = WIDTH * 21,
    COLOURS = 6,
    MARBLES = 19,
    HOLES = 256,
    OF_ONE = 2048,            /* moves of one colour at most; a thousand would be a wonder */
    MOVES = COLOURS * OF_ONE, /* and of all together */
    EMPTY = 0,                /* what is in a cell; a marble is its colour and one */
    OFF = COLOURS + 1,
};

typedef enum { LOCK_NONE, LOCK_ENDS, LOCK_LANDINGS } Lock;
typedef enum { FILL_OWN, FILL_HOST_LATER, FILL_ANY } Filling;

/* The way of one colour. */
typedef struct {
    bool start[CELLS], target[CELLS]; /* the points, of which the locks speak */
    bool fill[CELLS];                 /* what has to be filled */
    bool ends[CELLS];                 /* where a move from outside the target may end */
    int fill_size;
    int tip; /* the hole of the target that is farthest from everywhere */
} Lane;

/* One rule set on its board. */
typedef struct {
    char id[64];
    bool halma;
    int colours; /* of the board: six points, or four corners */
    int directions[8], direction_count;
    int holes[HOLES], hole_count; /* in the order of the position text */
    int marbles;                  /* of each colour */
    Lock lock;
    Filling filling;
    bool own_points; /* a move ends in no point but the own two */
    bool long_hops, pairs;
    int clear_by; /* the own turn by which the start is left, 0 without such a rule */
    Lane lanes[COLOURS];
} Rules;

/* Make *rules* what `id` says; false for an id that is not known. */
bool read_rules(Rules *rules, const char *id);
/* The cell that `cell` becomes when the board is turned by one point clockwise. */
int turned(const Rules *rules, int cell);
/* Steps from every hole to the nearest of `goal` on an empty board, -1 off the board. */
void distances(const Rules *rules, const bool *goal, int *steps);
int parse_hole(const Rules *rules, const char *text, int length); /* -1 for what is no hole */
void format_hole(const Rules *rules, int cell, char *text);       /* at most four bytes */

typedef struct {
    int score; /* what the search sorts by */
    int gain;  /* of cost, by the tables that the moves were listed with */
    uint16_t from, to;
    uint8_t colour;
} Move;

typedef struct {
    const Rules *rules;
    uint8_t at[CELLS];
    uint16_t marbles[COLOURS][MARBLES]; /* where each colour's marbles are, in no order */
    uint8_t place[CELLS];               /* where a hole's marble is in that list */
    int count[COLOURS];
    uint64_t hash; /* of the marbles alone */

    int seats, turn;          /* seats in the order of turns, and which of them is to move */
    int seat_of[COLOURS];     /* -1 for a colour that does not play */
    int turns_had[COLOURS];   /* by seat */
    bool gone[COLOURS];       /* by seat: finished or out */
    bool out[COLOURS];        /* by seat */
    uint8_t filled[COLOURS];  /* marbles of all colours in what a colour has to fill */
    uint8_t fills[CELLS];     /* a bit for each colour that has to fill this cell */
    uint8_t helpers[COLOURS]; /* a bit for each colour that helps this one to fill */

    uint32_t near[COLOURS];   /* the marbles of a colour in its region, see endgame.c */
    uint8_t strange[COLOURS]; /* marbles of other colours there */
} Position;

/* Read the six words of a position text; false for what cannot be read. */
bool read_position(Position *position, const Rules *rules, char *const *words);
/* List the moves of one colour that lose at most `loss` by the table `cost`; returns how many. */
int list_moves(Position *position, int colour, const int *cost, int loss, Move *moves);
void make_move(Position *position, int colour, int from, int to);
/* Whether every colour of `seat` fills its target. */
bool has_finished(const Position *position, int seat);

enum { FAR = 255 };

/* Lay out the regions and an empty table for these rules: before any position of theirs is read. */
void begin_endgame(const Rules *rules);
/* Fill the table; `enough` is asked now and then whether to leave the rest for another time. */
void go_on_with_endgame(const Rules *rules, bool (*enough)(void));
/* The bit of a cell in the region of a colour, 0 outside. */
uint32_t region_bit(int colour, int cell);
/* How many moves an army needs that has its marbles in `near`, alone; FAR where it is not known. */
int moves_left(uint32_t near);

typedef struct {
    double seconds; /* to spend on the move */
    long nodes;     /* or positions to look at, if not 0 */
    int depth;      /* told: how deep the search came */
    long visited;   /* told: how many positions it saw */
} Effort;

/* Forget the games before. */
void new_game(void);
/* The best move for the seat to move, which has at least one. */
Move choose(Position *position, Effort *effort);

#endif
