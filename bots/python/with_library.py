"""The same bot with the client library: it captures if it can, and says so."""
import random

import rookery_bot


class MyBot(rookery_bot.Bot):
    hello = {"name": "library-bot"}

    def new_game(self, game):
        random.seed(game.seed)

    def choose(self, turn):
        captures = [move for move in turn.legal if "x" in move]  # as Hexapawn writes them
        if captures:
            return rookery_bot.Move(random.choice(captures), info={"text": "a capture"})
        return random.choice(turn.legal)


rookery_bot.run(MyBot())
