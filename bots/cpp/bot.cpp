// A bot for Rookery that plays any game: it picks one of the legal moves at random.
#include <algorithm>
#include <iostream>
#include <random>
#include <string>

static std::mt19937_64 generator;

// Your choice goes here: return the index of a move, from 0 to n - 1. `turn` is the whole message as JSON, with the
// moves themselves in "legal":[...] and the position as text in "position":"...".
static int choose(const std::string &turn, int n) {
    (void)turn;
    return static_cast<int>(generator() % n);
}

// The number behind a key. Type, id, seat, ply and count stand first in a turn, so the first one found is right.
static unsigned long long number(const std::string &line, const std::string &key) {
    const auto found = line.find(key);
    return found == std::string::npos ? 0 : std::stoull(line.substr(found + key.size(), 20));
}

// Nothing but messages may go to std::cout. For your own lines: std::cerr.
int main() {
    const auto is = [](const std::string &line, const std::string &start) { return line.rfind(start, 0) == 0; };
    std::string line;
    while (std::getline(std::cin, line) && !is(line, R"({"type":"quit")")) {
        if (is(line, R"({"type":"hello")")) {
            std::cout << R"({"type":"hello","version":1,"name":"cpp-bot"})" << std::endl; // endl flushes, too
        } else if (is(line, R"({"type":"new_game")")) {
            generator.seed(number(line, "\"seed\":\"")); // so that a match can be played again exactly
            std::cout << R"({"type":"ready"})" << std::endl;
        } else if (is(line, R"({"type":"turn")")) {
            const int n = static_cast<int>(std::min(number(line, "\"count\":"), 1000ULL)); // "legal" has the first 1000
            std::cout << R"({"type":"move","id":)" << number(line, "\"id\":") << R"(,"index":)" << choose(line, n)
                      << "}" << std::endl;
        } // All other messages need no answer, also those that do not exist yet.
    }
}
