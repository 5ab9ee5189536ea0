/* An engine for Pente that sleeps and says how long its turns really took: the truth that the arena's clock
 * is held to.
 *
 *     sleeping_engine LEAST_US MOST_US TURNS
 *
 * Every genmove is answered, after a time drawn between the two bounds, with a point that no stone stood on;
 * after TURNS moves of its own it resigns. A turn is timed by the monotonic clock from the end of the read
 * that brought the command to the start of the write that answers it. Since that is known only when the turn
 * is over, each answer tells it of the turn before: `info true_ns N`, -1 in the first.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 16 };

static int taken[25][25];
static int stones;
static int size = 19;
static uint64_t chance;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void say(const char *text)
{
    size_t length = strlen(text);
    if (write(STDOUT_FILENO, text, length) != (ssize_t)length)
        exit(0);
}

static void nap(int64_t until_ns)
{
    struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
    }
}

static const char *letters = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

static void take(int row, int column)
{
    taken[row][column] = 1;
    stones++;
}

/* The centre first, as Black must, then the first free point row by row. */
static const char *free_point(void)
{
    static char word[32];
    int row = size / 2, column = size / 2;
    if (stones > 0)
        for (int point = 0; point < size * size; point++) {
            row = point / size;
            column = point % size;
            if (!taken[row][column])
                break;
        }
    take(row, column);
    snprintf(word, sizeof word, "%c%d", letters[column], row + 1);
    return word;
}

int main(int argc, char **argv)
{
    static char in[BUFFER], text[4096];
    size_t held = 0;
    int turns = 0;
    int64_t last_ns = -1;
    if (argc < 4)
        return 2;
    int64_t least_ns = atoll(argv[1]) * 1000, most_ns = atoll(argv[2]) * 1000;
    int most_turns = atoi(argv[3]);
    chance = (uint64_t)getpid() * 2654435761u;
    for (;;) {
        ssize_t got = read(STDIN_FILENO, in + held, sizeof in - held);
        int64_t read_ns = now_ns();
        if (got <= 0)
            return 0;
        held += (size_t)got;
        char *start = in, *end;
        while ((end = memchr(start, '\n', held - (size_t)(start - in))) != NULL) {
            *end = '\0';
            if (strncmp(start, "genmove", 7) == 0) {
                chance = chance * 6364136223846793005u + 1442695040888963407u;
                int64_t span_ns = most_ns - least_ns;
                int64_t sleep_ns = least_ns + (span_ns ? (int64_t)((chance >> 33) % (uint64_t)span_ns) : 0);
                const char *move = turns < most_turns ? free_point() : "resign";
                snprintf(text, sizeof text, "= %s\ninfo true_ns %lld\n\n", move, (long long)last_ns);
                turns++;
                if (sleep_ns > 0)
                    nap(read_ns + sleep_ns);
                last_ns = now_ns() - read_ns;
                say(text);
            } else if (strncmp(start, "play ", 5) == 0) {
                char *word = strrchr(start, ' ') + 1;
                const char *column = strchr(letters, word[0]);
                int row = atoi(word + 1);
                if (column != NULL && row >= 1 && row <= 25)
                    take(row - 1, (int)(column - letters));
                say("=\n\n");
            } else if (strncmp(start, "boardsize ", 10) == 0) {
                size = atoi(start + 10) <= 25 ? atoi(start + 10) : 25;
                say("=\n\n");
            } else if (strcmp(start, "clear_board") == 0) {
                memset(taken, 0, sizeof taken);
                turns = stones = 0;
                last_ns = -1;
                say("=\n\n");
            } else if (strcmp(start, "protocol_version") == 0) {
                say("= 2\n\n");
            } else if (strcmp(start, "name") == 0) {
                say("= sleeper\n\n");
            } else if (strcmp(start, "version") == 0) {
                say("= 1\n\n");
            } else if (strcmp(start, "list_commands") == 0) {
                say("= protocol_version\nname\nversion\nlist_commands\narena-game\narena-clock\n"
                    "arena-time_settings\nboardsize\nclear_board\nplay\ngenmove\nquit\n\n");
            } else {
                say("=\n\n");
                if (strcmp(start, "quit") == 0)
                    return 0;
            }
            start = end + 1;
        }
        held -= (size_t)(start - in);
        memmove(in, start, held);
    }
}
