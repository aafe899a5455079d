// A bot for Rookery that plays any game: it picks one of the legal moves at random.
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Random;

public class Bot {
    static Random random = new Random();

    // Your choice goes here: return the index of a move, from 0 to n - 1. `turn` is the whole message as JSON, with
    // the moves themselves in "legal":[...] and the position as text in "position":"...".
    static int choose(String turn, int n) {
        return random.nextInt(n);
    }

    // The number behind a key. Type, id, seat, ply and count stand first in a turn, so the first one found is right.
    static long number(String line, String key) {
        int start = line.indexOf(key) + key.length(), end = start;
        while (Character.isDigit(line.charAt(end))) end++;
        return Long.parseUnsignedLong(line.substring(start, end));
    }

    static void send(String message) {
        System.out.print(message + "\n");
        System.out.flush(); // or Rookery would wait for a line that is still in a buffer here
    }

    // Nothing but messages may go to the standard output. For your own lines: System.err.println(...)
    public static void main(String[] args) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null && !line.startsWith("{\"type\":\"quit\""); ) {
            if (line.startsWith("{\"type\":\"hello\"")) {
                send("{\"type\":\"hello\",\"version\":1,\"name\":\"java-bot\"}");
            } else if (line.startsWith("{\"type\":\"new_game\"")) {
                random = new Random(number(line, "\"seed\":\"")); // so that a match can be played again exactly
                send("{\"type\":\"ready\"}");
            } else if (line.startsWith("{\"type\":\"turn\"")) {
                int n = (int) Math.min(number(line, "\"count\":"), 1000); // "legal" has the first 1000
                send("{\"type\":\"move\",\"id\":" + number(line, "\"id\":") + ",\"index\":" + choose(line, n) + "}");
            } // All other messages need no answer, also those that do not exist yet.
        }
    }
}
