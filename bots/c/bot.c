/* A bot for Rookery that plays any game: it picks one of the legal moves at random. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Your choice goes here: return the index of a move, from 0 to n - 1. `turn` is the whole message as JSON, with the
   moves themselves in "legal":[...] and the position as text in "position":"...". */
static int choose(const char *turn, int n) {
    (void)turn;
    return rand() % n;
}

/* The number behind a key. Type, id, seat, ply and count stand first in a turn, so the first one found is right. */
static unsigned long long number(const char *line, const char *key) {
    const char *found = strstr(line, key);
    return found ? strtoull(found + strlen(key), NULL, 10) : 0;
}

static int is(const char *line, const char *start) { return strncmp(line, start, strlen(start)) == 0; }

/* Nothing but messages may go to the standard output. For your own lines: fprintf(stderr, ...) */
int main(void) {
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0 && !is(line, "{\"type\":\"quit\"")) {
        if (is(line, "{\"type\":\"hello\"")) {
            printf("{\"type\":\"hello\",\"version\":1,\"name\":\"c-bot\"}\n");
        } else if (is(line, "{\"type\":\"new_game\"")) {
            srand((unsigned)number(line, "\"seed\":\"")); /* so that a match can be played again exactly */
            printf("{\"type\":\"ready\"}\n");
        } else if (is(line, "{\"type\":\"turn\"")) {
            unsigned long long count = number(line, "\"count\":");
            int n = count < 1000 ? (int)count : 1000; /* "legal" has the first 1000 */
            printf("{\"type\":\"move\",\"id\":%llu,\"index\":%d}\n", number(line, "\"id\":"), choose(line, n));
        } /* All other messages need no answer, also those that do not exist yet. */
        fflush(stdout); /* or Rookery would wait for a line that is still in a buffer here */
    }
    free(line);
    return 0;
}
