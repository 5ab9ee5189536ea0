/* An engine that answers at once, for measuring what the arena itself costs.
 *
 *     replay_engine GAMES [each]
 *
 * GAMES holds one game a line, moves joined by blanks, no two games with the same first move. Black begins
 * the next of them after every clear_board; White knows the game by Black's first move. With `each` every
 * reply is written by itself, as an engine does that flushes its output after each line; without, everything
 * that one read brought is answered in one write.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_GAMES = 512, MOST_PLIES = 1024, BUFFER = 1 << 16 };

static char *games[MOST_GAMES][MOST_PLIES];
static int game_count;

static int game = -1, next_game, ply;
static char out[BUFFER];
static size_t out_bytes;
static int writes_each;
static const char *first_move_file;

static void flush_out(void)
{
    size_t done = 0;
    while (done < out_bytes) {
        ssize_t wrote = write(STDOUT_FILENO, out + done, out_bytes - done);
        if (wrote <= 0)
            exit(0);
        done += (size_t)wrote;
    }
    out_bytes = 0;
}

static void reply(const char *text)
{
    out[out_bytes++] = '=';
    if (*text) {
        size_t length = strlen(text);
        out[out_bytes++] = ' ';
        memcpy(out + out_bytes, text, length);
        out_bytes += length;
    }
    out[out_bytes++] = '\n';
    out[out_bytes++] = '\n';
    if (writes_each)
        flush_out();
}

static void load(const char *path)
{
    static char line[BUFFER];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    while (game_count < MOST_GAMES && fgets(line, sizeof line, file) != NULL) {
        int count = 0;
        for (char *word = strtok(strdup(line), " \n"); word != NULL && count + 1 < MOST_PLIES;
             word = strtok(NULL, " \n"))
            games[game_count][count++] = word;
        game_count += count > 0;
    }
    fclose(file);
}

static void take(char *line)
{
    if (strncmp(line, "play ", 5) == 0) {
        if (ply == 0) {
            const char *move = strrchr(line, ' ') + 1;
            for (int i = 0; i < game_count; i++)
                if (strcmp(games[i][0], move) == 0)
                    game = i;
        }
        ply++;
        reply("");
    } else if (strncmp(line, "genmove ", 8) == 0) {
        if (first_move_file != NULL) {
            close(open(first_move_file, O_CREAT | O_EXCL | O_WRONLY, 0600));
            first_move_file = NULL;
        }
        if (ply == 0) {
            game = next_game;
            next_game = (next_game + 1) % game_count;
        }
        char *move = game < 0 ? NULL : games[game][ply];
        ply++;
        reply(move == NULL ? "resign" : move);
    } else if (strcmp(line, "clear_board") == 0) {
        ply = 0;
        game = -1;
        reply("");
    } else if (strcmp(line, "protocol_version") == 0) {
        reply("2");
    } else if (strcmp(line, "name") == 0) {
        reply("replay");
    } else if (strcmp(line, "version") == 0) {
        reply("1");
    } else if (strcmp(line, "list_commands") == 0) {
        reply("protocol_version\nname\nversion\nlist_commands\narena-game\narena-clock\narena-time_settings\n"
              "boardsize\nkomi\nclear_board\nplay\ngenmove\nquit");
    } else if (strcmp(line, "quit") == 0) {
        reply("");
        flush_out();
        exit(0);
    } else {
        reply("");
    }
}

int main(int argc, char **argv)
{
    static char in[BUFFER];
    size_t held = 0;
    if (argc < 2) {
        fprintf(stderr, "usage: replay_engine GAMES [each]\n");
        return 2;
    }
    load(argv[1]);
    writes_each = argc > 2;
    first_move_file = getenv("FIRST_MOVE");
    for (;;) {
        ssize_t got = read(STDIN_FILENO, in + held, sizeof in - held);
        if (got <= 0)
            return 0;
        held += (size_t)got;
        char *start = in, *end;
        while ((end = memchr(start, '\n', held - (size_t)(start - in))) != NULL) {
            *end = '\0';
            take(start);
            start = end + 1;
        }
        held -= (size_t)(start - in);
        memmove(in, start, held);
        flush_out();
    }
}
