// A bot for Rookery that plays any game: it picks one of the legal moves at random.
using System;
using System.IO;
using System.Text;

static class Bot {
    static Random random = new Random();

    // Your choice goes here: return the index of a move, from 0 to n - 1. `turn` is the whole message as JSON, with
    // the moves themselves in "legal":[...] and the position as text in "position":"...".
    static int Choose(string turn, int n) {
        return random.Next(n);
    }

    // The number behind a key. Type, id, seat, ply and count stand first in a turn, so the first one found is right.
    static ulong Number(string line, string key) {
        int start = line.IndexOf(key, StringComparison.Ordinal) + key.Length, end = start;
        while (char.IsDigit(line[end])) end++;
        return ulong.Parse(line.Substring(start, end - start));
    }

    static bool Is(string line, string type) {
        return line.StartsWith("{\"type\":\"" + type + "\"", StringComparison.Ordinal);
    }

    // Nothing but messages may go to the standard output. For your own lines: Console.Error.WriteLine(...)
    static void Main() {
        var input = new StreamReader(Console.OpenStandardInput(), Encoding.UTF8);
        for (string line; (line = input.ReadLine()) != null && !Is(line, "quit"); ) {
            if (Is(line, "hello")) {
                Console.Write("{\"type\":\"hello\",\"version\":1,\"name\":\"csharp-bot\"}\n");
            } else if (Is(line, "new_game")) {
                random = new Random((int)(Number(line, "\"seed\":\"") % int.MaxValue)); // to play a match again exactly
                Console.Write("{\"type\":\"ready\"}\n");
            } else if (Is(line, "turn")) {
                int n = (int)Math.Min(Number(line, "\"count\":"), 1000); // "legal" has the first 1000
                ulong id = Number(line, "\"id\":");
                Console.Write("{\"type\":\"move\",\"id\":" + id + ",\"index\":" + Choose(line, n) + "}\n");
            } // All other messages need no answer, also those that do not exist yet.
            Console.Out.Flush(); // or Rookery would wait for a line that is still in a buffer here
        }
    }
}
