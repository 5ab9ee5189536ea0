/* The fastest referee there can be: it plays the games with two engines over pipes, the same three commands
 * a turn in one write as the arena's, and does nothing else: no rules, no clock, no store.
 *
 *     pipe_loop GAMES ROUNDS ENGINE [ARGUMENT...]
 *
 * Prints the nanoseconds of one turn: write, the engine's answer, read.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 16 };

struct engine {
    int in, out;
};

static struct engine start(char **argv)
{
    int to_engine[2], from_engine[2];
    if (pipe(to_engine) != 0 || pipe(from_engine) != 0) {
        perror("pipe");
        exit(1);
    }
    if (fork() == 0) {
        dup2(to_engine[0], STDIN_FILENO);
        dup2(from_engine[1], STDOUT_FILENO);
        for (int fd = 3; fd < 64; fd++)
            close(fd);
        execv(argv[0], argv);
        _exit(127);
    }
    close(to_engine[0]);
    close(from_engine[1]);
    return (struct engine){to_engine[1], from_engine[0]};
}

/* Sends `text` and reads until as many replies have come as it has lines. */
static void exchange(const struct engine *engine, const char *text)
{
    static char buffer[BUFFER];
    int due = 0;
    size_t length = strlen(text);
    for (const char *at = text; *at; at++)
        due += *at == '\n';
    if (write(engine->in, text, length) != (ssize_t)length)
        exit(1);
    char before = 0;
    while (due > 0) {
        ssize_t got = read(engine->out, buffer, sizeof buffer);
        if (got <= 0)
            exit(1);
        for (ssize_t i = 0; i < got; i++) {
            if (buffer[i] == '\n' && before == '\n') {
                due--;
                before = 0;
            } else {
                before = buffer[i];
            }
        }
    }
}

int main(int argc, char **argv)
{
    static char line[BUFFER], text[1024];
    static const char *colours[2] = {"black", "white"};
    if (argc < 4)
        return 2;
    signal(SIGPIPE, SIG_IGN);
    struct engine engines[2] = {start(argv + 3), start(argv + 3)};
    long plies = 0;
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (int round = 0; round < atoi(argv[2]); round++) {
        FILE *file = fopen(argv[1], "r");
        if (file == NULL)
            return 1;
        while (fgets(line, sizeof line, file) != NULL) {
            const char *last = NULL;
            int side = 0;
            exchange(&engines[0], "clear_board\n");
            exchange(&engines[1], "clear_board\n");
            for (char *word = strtok(line, " \n"); word != NULL; word = strtok(NULL, " \n")) {
                size_t at = 0;
                if (last != NULL)
                    at = (size_t)sprintf(text, "play %s %s\n", colours[1 - side], last);
                sprintf(text + at, "arena-clock black_ms=123456 white_ms=123456\ngenmove %s\n", colours[side]);
                exchange(&engines[side], text);
                last = word;
                side = 1 - side;
                plies++;
            }
        }
        fclose(file);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double ns = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
    printf("%.0f\n", ns / (double)plies);
    return 0;
}
