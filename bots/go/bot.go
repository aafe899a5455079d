// A bot for Rookery that plays any game: it picks one of the legal moves at random.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"strconv"
)

// Message has the fields used here; docs/protocol.md lists all of them.
type Message struct {
	Type     string
	ID       json.Number
	Seed     string
	Legal    []string
	Position string
}

var random = rand.New(rand.NewSource(1))

// Your choice goes here: return the index of one of the legal moves. The position is a text.
func choose(legal []string, position string) int {
	return random.Intn(len(legal))
}

// Nothing but messages may go to the standard output. For your own lines: fmt.Fprintln(os.Stderr, ...)
func main() {
	for input := json.NewDecoder(os.Stdin); ; {
		var raw json.RawMessage
		var message Message
		if input.Decode(&raw) != nil {
			return // the end of the input
		}
		if json.Unmarshal(raw, &message) != nil {
			continue // nothing this bot knows
		}
		switch message.Type {
		case "hello":
			fmt.Println(`{"type":"hello","version":1,"name":"go-bot"}`) // not buffered
		case "new_game":
			seed, _ := strconv.ParseUint(message.Seed, 10, 64)
			random = rand.New(rand.NewSource(int64(seed))) // so that a match can be played again exactly
			fmt.Println(`{"type":"ready"}`)
		case "turn":
			index := choose(message.Legal, message.Position)
			fmt.Printf("{\"type\":\"move\",\"id\":%s,\"index\":%d}\n", message.ID, index)
		case "quit":
			return
		} // All other messages need no answer, also those that do not exist yet.
	}
}
