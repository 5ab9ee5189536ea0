/* A complete engine for Pletore, Pente, Topolo and Plakoto in one file of C11, without any library.
 *
 *     cc -O2 -o flat_engine flat_engine.c
 *
 * It plays flat Monte Carlo: every legal move gets the same number of games played out at random, the best mean
 * wins. How many: as many rounds as `arena-limit playouts N` says, else as there is time for.
 *
 * To make it your own, change `choose`. Everything above it is the rules of the four games, everything below it the
 * protocol (GTP 2 with arena- extensions).
 */
#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PLETORE, PENTE, TOPOLO, PLAKOTO, GAMES };
static const char *const game_names[GAMES] = {"pletore", "pente", "topolo", "plakoto"};
enum { BLACK, WHITE };
#define MOST_MOVES 4096
#define MOST_MS 20 /* the longest think: hundreds of games played out, and `arena check` with its 700 moves takes 20 s */
#define COLUMNS "ABCDEFGHJKLMNOPQRSTUVWXYZ"

/* A move. Grids: point (row * size + column); Pletore's button is size * size, its pass one more; Topolo: cell * 3 +
 * height - 1. Plakoto: up to four steps of 10 bits, 32 * from + to, the first in the lowest; 0 is the pass. */
typedef int64_t Move;

typedef struct {
    int game, size, komi;
    int to_move, turns, over, winner; /* winner: BLACK, WHITE, or -1 for a draw */
    unsigned char board[625];         /* 0 empty, 1 Black, 2 White */
    unsigned char height[64];         /* Topolo */
    int button, passes, forbidden;    /* Pletore: button -2 unused, -1 free, else its owner; -1: no point forbidden */
    int pairs[2], empty;              /* Pente: captured pairs; empty points of any grid */
    int hand[2][4], closed;           /* Topolo: pieces left by height; row index mod 2 of closed rows, -1 */
    int dice[2], rolled;              /* Plakoto, the larger first */
    signed char men[2][25], pin[2][25]; /* Plakoto: free checkers by own point (0: off), pinned ones */
} State;

static uint64_t random_state = 88172645463325252ull;

static unsigned draw(unsigned bound)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)((random_state >> 32) * bound >> 32);
}

static void finish(State *s, int winner)
{
    s->over = 1;
    s->winner = winner;
}

/* ---- Pletore -------------------------------------------------------------------------------------------------- */

/* The stones seen from a point in one direction, as a mask. */
static int look(const State *s, int row, int column, int up, int right)
{
    for (row += up, column += right; row >= 0 && row < s->size && column >= 0 && column < s->size;
         row += up, column += right)
        if (s->board[row * s->size + column])
            return s->board[row * s->size + column];
    return 0;
}

/* The players who see a point along its row and along its column. */
static int pinchers(const State *s, int point)
{
    int row = point / s->size, column = point % s->size;
    int across = look(s, row, column, 0, -1) | look(s, row, column, 0, 1);
    return across ? across & (look(s, row, column, -1, 0) | look(s, row, column, 1, 0)) : 0;
}

static int pletore_moves(const State *s, Move *moves)
{
    int count = 0, own = s->to_move + 1, points = s->size * s->size, settled = 1;
    for (int point = 0; point < points; point++) {
        int stone = s->board[point], by = pinchers(s, point);
        if (!stone && (by == 0 || by == 3))
            settled = 0;
        if (stone ? stone != own && by == own : by != 3 - own && point != s->forbidden)
            moves[count++] = point;
    }
    if (s->button == -1)
        moves[count++] = points;
    else if (settled)
        moves[count++] = points + 1;
    return count;
}

static void pletore_play(State *s, Move move)
{
    int points = s->size * s->size;
    s->passes = move == points + 1 ? s->passes + 1 : 0;
    if (move < points)
        s->board[move] = (unsigned char)(s->to_move + 1);
    else if (move == points)
        s->button = s->to_move;
    /* On even boards White's first stone may not stand opposite Black's. */
    s->forbidden = s->size % 2 == 0 && s->turns == 0 && move < points ? points - 1 - (int)move : -1;
    if (s->passes == 2) {
        int margin = -2 * s->komi + (s->button == BLACK) - (s->button == WHITE);
        for (int point = 0; point < points; point++) {
            int owner = s->board[point] ? s->board[point] : pinchers(s, point);
            margin += owner == 1 ? 2 : owner == 2 ? -2 : 0;
        }
        finish(s, margin > 0 ? BLACK : WHITE);
    }
}

/* ---- Pente ---------------------------------------------------------------------------------------------------- */

static int at(const State *s, int row, int column)
{
    int inside = row >= 0 && row < s->size && column >= 0 && column < s->size;
    return inside ? s->board[row * s->size + column] : -1;
}

static int pente_moves(const State *s, Move *moves)
{
    int count = 0, points = s->size * s->size;
    if (s->empty == points) {
        moves[0] = points / 2;
        return 1;
    }
    for (int point = 0; point < points; point++)
        if (!s->board[point])
            moves[count++] = point;
    return count;
}

static void pente_play(State *s, Move move)
{
    int row = (int)move / s->size, column = (int)move % s->size, own = s->to_move + 1, won = 0;
    s->board[move] = (unsigned char)own;
    s->empty--;
    for (int up = -1; up <= 1; up++)
        for (int right = -1; right <= 1; right++)
            if ((up || right) && at(s, row + up, column + right) == 3 - own &&
                at(s, row + 2 * up, column + 2 * right) == 3 - own && at(s, row + 3 * up, column + 3 * right) == own) {
                s->board[(row + up) * s->size + column + right] = 0;
                s->board[(row + 2 * up) * s->size + column + 2 * right] = 0;
                s->pairs[s->to_move]++;
                s->empty += 2;
            }
    static const int lines[4][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}};
    for (int line = 0; line < 4; line++) {
        int run = 1, up = lines[line][0], right = lines[line][1];
        for (int k = 1; at(s, row + k * up, column + k * right) == own; k++)
            run++;
        for (int k = 1; at(s, row - k * up, column - k * right) == own; k++)
            run++;
        won |= run >= 5;
    }
    if (won || s->pairs[s->to_move] >= 5)
        finish(s, s->to_move);
    else if (!s->empty)
        finish(s, -1);
}

/* ---- Topolo --------------------------------------------------------------------------------------------------- */

static int topolo_moves(const State *s, Move *moves)
{
    int count = 0, cells = s->size * s->size, closed = 2 * s->empty > cells ? s->closed : -1;
    for (int cell = 0; cell < cells; cell++)
        if (!s->board[cell] && cell / s->size % 2 != closed)
            for (int height = 1; height <= 3; height++)
                if (s->hand[s->to_move][height])
                    moves[count++] = 3 * cell + height - 1;
    return count;
}

/* Pieces * 256 + height of the group at a cell, whose pieces are taken off `board`. */
static int take_group(const State *s, unsigned char *board, int cell, int own)
{
    int row = cell / s->size, column = cell % s->size;
    if (board[cell] != own)
        return 0;
    board[cell] = 0;
    int total = 256 + s->height[cell];
    if (row > 0) total += take_group(s, board, cell - s->size, own);
    if (row < s->size - 1) total += take_group(s, board, cell + s->size, own);
    if (column > 0) total += take_group(s, board, cell - 1, own);
    if (column < s->size - 1) total += take_group(s, board, cell + 1, own);
    return total;
}

static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

static void topolo_play(State *s, Move move)
{
    int cell = (int)(move / 3), cells = s->size * s->size;
    s->board[cell] = (unsigned char)(s->to_move + 1);
    s->height[cell] = (unsigned char)(move % 3 + 1);
    s->hand[s->to_move][s->height[cell]]--;
    if (s->closed < 0)
        s->closed = 1 - cell / s->size % 2;
    if (--s->empty)
        return;
    int groups[2][64] = {{0}};
    for (int side = 0; side < 2; side++) {
        unsigned char board[64];
        int found = 0;
        memcpy(board, s->board, sizeof board);
        for (int k = 0; k < cells; k++)
            if (board[k] == side + 1)
                groups[side][found++] = take_group(s, board, k, side + 1);
        qsort(groups[side], 64, sizeof(int), descending);
    }
    for (int k = 0; k < 64; k++)
        if (groups[0][k] != groups[1][k]) {
            finish(s, groups[0][k] > groups[1][k] ? BLACK : WHITE);
            return;
        }
    finish(s, -1);
}

/* ---- Plakoto -------------------------------------------------------------------------------------------------- */

static int can_step(const State *s, int from, int die)
{
    int me = s->to_move, enemy = 1 - me;
    if (!s->men[me][from])
        return 0;
    if (from > die) /* closed: two free enemies, or one who holds an own checker pinned */
        return s->men[enemy][25 - (from - die)] < 2 && !s->pin[me][from - die];
    for (int point = 1; point <= 24; point++)
        if (s->pin[me][point] || (s->men[me][point] && (point > 6 || (from < die && point > from))))
            return 0;
    return 1;
}

static void step(State *s, int from, int to)
{
    int me = s->to_move, enemy = 1 - me;
    s->men[me][from]--;
    s->men[me][to]++;
    if (!s->men[me][from] && s->pin[enemy][25 - from]) {
        s->pin[enemy][25 - from] = 0;
        s->men[enemy][25 - from] = 1;
    }
    if (to && s->men[enemy][25 - to] == 1) {
        s->men[enemy][25 - to] = 0;
        s->pin[enemy][25 - to] = 1;
    }
}

/* End the game if a checker move of the side to move has ended it. */
static void judge(State *s)
{
    int me = s->to_move, enemy = 1 - me;
    if (s->men[me][0] == 15)
        finish(s, me);
    else if (s->pin[me][24] && s->pin[enemy][24])
        finish(s, -1);
    else if (s->pin[enemy][24] && !s->men[me][24])
        finish(s, me);
    else if (s->pin[me][24] && !s->men[enemy][24])
        finish(s, enemy);
}

typedef struct {
    Move *moves;
    State *ends;
    int count, longest, larger_used;
} Plays;

static State play_ends[MOST_MOVES];

static void add_play(Plays *plays, const State *s, Move move)
{
    for (int k = 0; k < plays->count; k++)
        if (!memcmp(s->men, plays->ends[k].men, sizeof s->men) && !memcmp(s->pin, plays->ends[k].pin, sizeof s->pin))
            return;
    if (plays->count < MOST_MOVES) {
        plays->ends[plays->count] = *s;
        plays->moves[plays->count++] = move;
    }
}

/* Try all steps with the dice left. First with `adding` 0: only find out how many dice can be played. */
static void extend(Plays *plays, const State *s, int depth, Move move, const int *dice, int left, int adding)
{
    int moved = 0;
    for (int k = 0; k < left && !s->over; k++) {
        int die = dice[k], rest[4], others = 0;
        if (k && die == dice[0])
            continue;
        for (int j = 0; j < left; j++)
            if (j != k)
                rest[others++] = dice[j];
        for (int from = 24; from >= 1; from--)
            if (can_step(s, from, die)) {
                State next = *s;
                int to = from > die ? from - die : 0;
                step(&next, from, to);
                judge(&next);
                moved = 1;
                extend(plays, &next, depth + 1, move | (Move)(32 * from + to) << 10 * depth, rest, others, adding);
            }
    }
    if (moved)
        return;
    if (!adding && !s->over && depth > plays->longest)
        plays->longest = depth;
    if (!adding && s->over)
        plays->longest = depth > plays->longest ? depth : plays->longest;
    if (adding && depth && (s->over || depth == plays->longest))
        add_play(plays, s, move);
}

static int plakoto_moves(const State *s, Move *moves)
{
    Plays plays = {moves, play_ends, 0, 0, 0};
    int dice[4] = {s->dice[0], s->dice[1], s->dice[0], s->dice[1]};
    int left = s->dice[0] == s->dice[1] ? 4 : 2;
    extend(&plays, s, 0, 0, dice, left, 0);
    extend(&plays, s, 0, 0, dice, left, 1);
    if (plays.longest == 1 && left == 2) {
        /* One die only: the larger, if it can be played; a game may be ended with either. */
        int can_larger = 0, kept = 0;
        for (int from = 1; from <= 24; from++)
            can_larger |= can_step(s, from, s->dice[0]);
        for (int k = 0; k < plays.count; k++) {
            int from = (int)(moves[k] / 32 % 32);
            int to = (int)(moves[k] % 32);
            int by_larger = can_step(s, from, s->dice[0]) && to == (from > s->dice[0] ? from - s->dice[0] : 0);
            if (!can_larger || by_larger || plays.ends[k].over)
                moves[kept++] = moves[k];
        }
        plays.count = kept;
    }
    if (!plays.count)
        moves[plays.count++] = 0;
    return plays.count;
}

static void plakoto_play(State *s, Move move)
{
    int moved = move != 0;
    for (; move; move >>= 10)
        step(s, (int)(move >> 5 & 31), (int)(move & 31));
    if (moved)
        judge(s);
    s->rolled = 0;
}

static void roll(State *s, int first, int second)
{
    s->dice[0] = first > second ? first : second;
    s->dice[1] = first > second ? second : first;
    s->rolled = 1;
}

/* ---- Any game ------------------------------------------------------------------------------------------------- */

static void begin(State *s, int game, int size, int komi)
{
    memset(s, 0, sizeof *s);
    s->game = game;
    s->size = size;
    s->komi = komi;
    s->empty = size * size;
    s->button = (size - komi) % 2 == 0 ? -1 : -2;
    s->forbidden = s->closed = -1;
    for (int side = 0; side < 2; side++) {
        s->hand[side][1] = s->empty / 4;
        s->hand[side][2] = s->hand[side][3] = s->empty / 8;
        s->men[side][24] = 15;
    }
}

static int list_moves(const State *s, Move *moves)
{
    if (s->over)
        return 0;
    switch (s->game) {
    case PLETORE: return pletore_moves(s, moves);
    case PENTE: return pente_moves(s, moves);
    case TOPOLO: return topolo_moves(s, moves);
    default: return plakoto_moves(s, moves);
    }
}

static void play(State *s, Move move)
{
    switch (s->game) {
    case PLETORE: pletore_play(s, move); break;
    case PENTE: pente_play(s, move); break;
    case TOPOLO: topolo_play(s, move); break;
    default: plakoto_play(s, move); break;
    }
    s->to_move = 1 - s->to_move;
    s->turns++;
}

/* ---- The choice of a move ------------------------------------------------------------------------------------- */

static double play_out(State *s, int me)
{
    static Move moves[MOST_MOVES];
    for (int turn = 0; !s->over && turn < 2000; turn++) {
        if (s->game == PLAKOTO && !s->rolled)
            roll(s, 1 + (int)draw(6), 1 + (int)draw(6));
        play(s, moves[draw((unsigned)list_moves(s, moves))]);
    }
    return !s->over || s->winner < 0 ? 0.5 : s->winner == me;
}

static double share; /* what the chosen move promises */
static long played;  /* games played out for it */

static double milliseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return 1e3 * (double)now.tv_sec + (double)now.tv_nsec / 1e6;
}

/* Return the move to play: `rounds` games for each move, and no longer than `limit_ms`. */
static Move choose(const State *s, long rounds, double limit_ms)
{
    static Move moves[MOST_MOVES];
    static double wins[MOST_MOVES];
    double end = milliseconds() + limit_ms;
    int count = list_moves(s, moves), best = (int)draw((unsigned)count);
    long done = 0;
    share = 0.5;
    played = 0;
    memset(wins, 0, sizeof wins);
    for (; count > 1 && done < rounds; done++)
        for (int k = 0; k < count; k++) {
            State trial = *s;
            play(&trial, moves[k]);
            wins[k] += play_out(&trial, s->to_move);
            played++;
            if (milliseconds() > end)
                goto enough; /* the unfinished round favours the moves it has seen; with one round it is all there is */
        }
enough:
    for (int k = 0; k < count && played > 0; k++)
        if (wins[k] > wins[best])
            best = k;
    if (played)
        share = wins[best] / (double)(done + 1 > rounds ? rounds : done + 1);
    return moves[best];
}

/* ---- The protocol --------------------------------------------------------------------------------------------- */

static State now;
static int game = PLETORE, size = 9, komi = 0, begun = 0;
static long limit = 0;
static double left_ms = -1, moves_to_come = 40; /* the clock is shared out among so many */

static void word_of(const State *s, Move move, char *word)
{
    int points = s->size * s->size;
    if (s->game == PLAKOTO) {
        if (!move)
            strcpy(word, "pass");
        for (const char *comma = ""; move; move >>= 10, comma = ",") {
            word += sprintf(word, "%s%d/", comma, (int)(move >> 5 & 31));
            word += move & 31 ? sprintf(word, "%d", (int)(move & 31)) : sprintf(word, "off");
        }
    } else if (s->game == TOPOLO)
        sprintf(word, "%c%d:%d", 'A' + (int)(move / 3) % s->size, (int)(move / 3) / s->size + 1, (int)(move % 3) + 1);
    else if (s->game == PLETORE && move >= points)
        strcpy(word, move == points ? "button" : "pass");
    else
        sprintf(word, "%c%d", COLUMNS[move % s->size], (int)move / s->size + 1);
}

/* The move a word means, -1 for none. */
static Move move_of(const State *s, const char *word)
{
    if (s->game == PLAKOTO) {
        Move move = 0;
        int shift = 0, from = 0;
        if (!strcmp(word, "PASS"))
            return 0;
        while (*word && shift < 40) {
            int point = 0, used = 0;
            if (!strncmp(word, "OFF", 3))
                used = 3;
            else if (sscanf(word, "%d%n", &point, &used) < 1 || point < 1 || point > 24)
                return -1;
            word += used;
            if (from) {
                move |= (Move)(32 * from + point) << shift;
                shift += 10;
            }
            from = *word == '/' ? point : 0;
            if (*word)
                word++;
        }
        return move;
    }
    if (s->game == PLETORE && !strcmp(word, "BUTTON"))
        return s->size * s->size;
    if (s->game == PLETORE && !strcmp(word, "PASS"))
        return s->size * s->size + 1;
    const char *columns = s->game == TOPOLO ? "ABCDEFGH" : COLUMNS, *column = strchr(columns, word[0]);
    int row = 0, height = 0, wanted = s->game == TOPOLO ? 2 : 1;
    if (!word[0] || !column || sscanf(word + 1, "%d:%d", &row, &height) < wanted)
        return -1;
    if (column - columns >= s->size || row < 1 || row > s->size)
        return -1;
    Move point = (row - 1) * s->size + (column - columns);
    return s->game == TOPOLO ? 3 * point + height - 1 : point;
}

/* Whether a move is legal. Plakoto's words may name any order of steps: there the position they lead to counts. */
static int is_legal(const State *s, Move move)
{
    static Move moves[MOST_MOVES];
    int count = list_moves(s, moves);
    State wanted = *s;
    if (move < 0)
        return 0;
    if (s->game == PLAKOTO) {
        for (Move left = move; left; left >>= 10) {
            if (!wanted.men[s->to_move][left >> 5 & 31]--)
                return 0;
            wanted.men[s->to_move][left & 31]++;
        }
        wanted = *s;
        play(&wanted, move);
    }
    for (int k = 0; k < count; k++) {
        if (moves[k] == move)
            return 1;
        if (s->game == PLAKOTO) {
            State reached = *s;
            play(&reached, moves[k]);
            if (!memcmp(wanted.men, reached.men, sizeof reached.men) &&
                !memcmp(wanted.pin, reached.pin, sizeof reached.pin))
                return 1;
        }
    }
    return 0;
}

static int accepts(int wanted)
{
    switch (game) {
    case PLETORE: return wanted >= 1 && wanted <= 25;
    case PENTE: return wanted >= 5 && wanted <= 25 && wanted % 2;
    case TOPOLO: return wanted == 4 || wanted == 8;
    default: return 0;
    }
}

static const char *const commands =
    "protocol_version\nname\nversion\nlist_commands\nquit\nboardsize\nkomi\nclear_board\nplay\ngenmove\n"
    "arena-games\narena-game\narena-seed\narena-limit\narena-dice\narena-time_settings\narena-clock\ngogui-rules_legal_moves";

/* Answer one command; return the text, with `?` in front when it is refused. */
static const char *answer(char *name, char **words, int count)
{
    static char text[MOST_MOVES * 32];
    if (!begun && (!strcmp(name, "play") || !strcmp(name, "genmove") || !strcmp(name, "arena-dice"))) {
        begin(&now, game, size, komi);
        begun = 1;
    }
    if (!strcmp(name, "protocol_version")) return "2";
    if (!strcmp(name, "name")) return "flat monte carlo in C";
    if (!strcmp(name, "version")) return "1";
    if (!strcmp(name, "list_commands")) return commands;
    if (!strcmp(name, "arena-games")) return "pletore\npente\ntopolo\nplakoto";
    if (!strcmp(name, "quit")) return "";
    if (!strcmp(name, "clear_board")) {
        begin(&now, game, size, komi);
        begun = 1;
        return "";
    }
    if (!strcmp(name, "gogui-rules_legal_moves")) {
        static Move moves[MOST_MOVES];
        char *end = text;
        int moves_count = list_moves(&now, moves);
        *end = 0;
        for (int k = 0; k < moves_count; k++) {
            if (k)
                *end++ = ' ';
            word_of(&now, moves[k], end);
            end += strlen(end);
        }
        return text;
    }
    if (count < 1)
        return "?unknown command";
    if (!strcmp(name, "arena-game")) {
        for (int k = 0; k < GAMES; k++)
            if (!strcmp(words[0], game_names[k])) {
                static const int usual[GAMES] = {9, 19, 8, 0};
                game = k;
                size = usual[k];
                komi = begun = 0;
                return "";
            }
        return "?unknown game";
    }
    if (!strcmp(name, "boardsize")) {
        if (!accepts(atoi(words[0])))
            return "?unacceptable size";
        size = atoi(words[0]);
        begun = 0;
        return "";
    }
    if (!strcmp(name, "komi")) {
        komi = atoi(words[0]);
        if (!now.turns)
            begun = 0;
        return "";
    }
    if (!strcmp(name, "arena-seed")) {
        random_state = (strtoull(words[0], NULL, 10) + 1) * 0x9E3779B97F4A7C15ull | 1;
        return "";
    }
    if (!strcmp(name, "arena-limit")) {
        if (strcmp(words[0], "playouts") || count < 2)
            return "?unknown limit";
        limit = atol(words[1]);
        return "";
    }
    if (!strcmp(name, "arena-time_settings")) {
        moves_to_come = strstr(words[0], "/move") ? 2 : 40; /* a fixed time for each move is not saved for later */
        return "";
    }
    int colour = tolower((unsigned char)words[0][0]) == 'w' ? WHITE : BLACK;
    if (!strcmp(name, "arena-clock")) {
        for (int k = 0; k < count; k++)
            if (!strncmp(words[k], now.to_move == WHITE ? "white_ms=" : "black_ms=", 9))
                left_ms = atof(words[k] + 9);
        return "";
    }
    if (!strcmp(name, "arena-dice")) {
        if (count < 3 || game != PLAKOTO)
            return "?dice are not expected";
        if (!now.turns)
            now.to_move = colour;
        roll(&now, atoi(words[1]), atoi(words[2]));
        return "";
    }
    if (!strcmp(name, "play")) {
        if (count < 2 || colour != now.to_move)
            return "?it is the other side's turn";
        for (char *c = words[1]; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        Move move = move_of(&now, words[1]);
        if (!is_legal(&now, move))
            return "?illegal move";
        play(&now, move);
        return "";
    }
    if (!strcmp(name, "genmove")) {
        char word[64];
        if (colour != now.to_move || now.over || (game == PLAKOTO && !now.rolled))
            return "?no move is due";
        double share_ms = left_ms < 0 ? MOST_MS : left_ms / moves_to_come;
        double limit_ms = share_ms < MOST_MS ? share_ms : MOST_MS;
        left_ms = -1;
        Move move = choose(&now, limit ? limit : 1000, limit && share_ms >= MOST_MS ? 1e9 : limit_ms);
        word_of(&now, move, word);
        play(&now, move);
        sprintf(text, "%s\ninfo winrate %.3f nodes %ld", word, share, played);
        return text;
    }
    return "?unknown command";
}

int main(void)
{
    static char line[65536];
    random_state ^= (uint64_t)time(NULL) * 0x9E3779B97F4A7C15ull;
    while (fgets(line, sizeof line, stdin)) {
        char *words[64], *id = "", *word = NULL;
        int count = 0;
        line[strcspn(line, "#\r\n")] = 0;
        for (word = strtok(line, " \t"); word && count < 64; word = strtok(NULL, " \t"))
            words[count++] = word;
        if (!count)
            continue;
        char **first = words;
        if (isdigit((unsigned char)words[0][0])) {
            id = *first++;
            count--;
        }
        if (!count)
            continue;
        const char *text = answer(first[0], first + 1, count - 1);
        if (*text == '?')
            printf("?%s %s\n\n", id, text + 1);
        else
            printf("=%s %s\n\n", id, text);
        fflush(stdout);
        if (!strcmp(first[0], "quit"))
            break;
    }
    return 0;
}
