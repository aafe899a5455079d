//! What is sent: section B of the faults.

use rookery_referee::Offence::{
    Crashed, Disconnected, IllegalMove, Malformed, OutOfTurn, OutputLimit, Timeout,
};

use crate::check::{ANY, LINES, NET, PIPE, TCP, WS, faults, lost, played};

faults! {
    fn an_honest_bot_plays_on_every_transport = "honest", ANY, played("");

    fn fault_t01_late = "late", ANY, lost(Timeout, "ms used of 300 ms");
    fn fault_t01_never_answers = "never-answers", ANY, lost(Timeout, "expected {\"type\":\"move\"");
    fn fault_t03_half_an_answer_then_gone = "half-then-exit", PIPE, lost(Malformed, "sent `{\"type\":\"move\",\"`");
    fn fault_t03_half_an_answer_then_gone_from_the_network =
        "half-then-exit", NET, lost(Disconnected, "it lost its connection and did not come back").within(300);
    fn fault_t03_an_answer_then_gone = "answer-then-exit", PIPE, lost(Crashed, "exit status: 0");
    fn fault_t03_an_answer_then_gone_from_the_network =
        "answer-then-exit", NET, lost(Disconnected, "it lost its connection and did not come back").within(300);
    fn fault_t03_disconnects =
        "disconnect", NET, lost(Disconnected, "it lost its connection and did not come back").within(300);
    fn fault_t03_resets_the_connection =
        "reset", NET, lost(Disconnected, "it lost its connection and did not come back").within(300);
    fn fault_t18_closes_one_half =
        "half-close", NET, lost(Disconnected, "it lost its connection and did not come back").within(300);
    fn fault_t05_answers_twice = "twice", ANY, played("");
    fn fault_t05_answers_an_old_question_too = "old-id", ANY, played("");
    fn fault_t05_answers_two_hundred_times = "often", ANY, lost(OutOfTurn, "more than 16 answers to earlier turns");
    fn fault_t06_answers_before_it_is_asked = "too-early", ANY, lost(OutOfTurn, "it was not asked");
    fn fault_t06_answers_a_question_to_come = "future-id", ANY, lost(Malformed, "there was no turn 8 yet");
    fn fault_j06_says_hello_again = "hello-again", ANY, lost(OutOfTurn, "sent `{\"type\":\"hello\"");
    fn fault_t07_garbage = "garbage", ANY, lost(Malformed, "sent `\\x00\\x01 no JSON \\x1b[31m`: no JSON object");
    fn fault_t07_garbage_for_ever = "flood-garbage", ANY, lost(Malformed, "no JSON object");
    fn fault_t07_frames_where_lines_are_spoken = "wrong-transport", TCP, lost(Malformed, "sent `\\x81\\xa0");
    fn fault_t08_no_utf8 = "bad-utf8", ANY, lost(Malformed, "invalid utf-8");
    fn fault_t08_a_byte_order_mark = "byte-order-mark", ANY, lost(Malformed, "sent `\\xef\\xbb\\xbf");
    fn fault_t08_half_a_surrogate = "lone-surrogate", ANY, lost(Malformed, "hex escape");
    fn fault_t08_nul = "nul", ANY, lost(Malformed, "\"\\0\" is no move");
    fn fault_t09_a_line_without_end = "endless-line", LINES, lost(OutputLimit, "65536");
    fn fault_t09_a_frame_of_100_megabytes = "endless-line", WS, lost(OutputLimit, "too long");
    fn fault_t09_nothing_but_ends_of_lines = "blank-lines", LINES, lost(OutputLimit, "white space");
    fn fault_t10_deep = "deep", ANY, lost(Malformed, "nested deeper than 16");
    fn fault_t11_a_number_of_25_digits = "huge-number", ANY, lost(Malformed, "expected usize");
    fn fault_t11_a_number_out_of_range = "huge-exponent", ANY, lost(Malformed, "number out of range");
    fn fault_t11_a_fraction = "fraction", ANY, lost(Malformed, "expected usize");
    fn fault_t11_an_exponent = "exponent", ANY, lost(Malformed, "expected usize");
    fn fault_t11_a_negative_number = "negative", ANY, lost(Malformed, "integer `-1`");
    fn fault_t11_minus_zero = "minus-zero", ANY, lost(Malformed, "`-0.0`");
    fn fault_t11_a_leading_zero = "leading-zero", ANY, lost(Malformed, "invalid number");
    fn fault_t12_no_id = "missing-id", ANY, lost(Malformed, "missing field `id`");
    fn fault_t12_no_move = "missing-move", ANY, lost(Malformed, "neither `move` nor `index`");
    fn fault_t12_a_field_twice = "duplicate-field", ANY, lost(Malformed, "duplicate field `id`");
    fn fault_t12_a_field_that_nobody_knows = "unknown-field", ANY, played("");
    fn fault_t13_two_values_in_a_line = "two-values", ANY, lost(Malformed, "trailing characters");
    fn fault_t13_a_value_over_many_lines = "many-lines", LINES, lost(Malformed, "EOF while parsing");
    fn fault_t14_an_illegal_move = "illegal-move", ANY, lost(IllegalMove, "legal were c1-c2 b1-b2 a1-a2");
    fn fault_t15_claims_to_have_won = "claims", ANY, played("");
    fn fault_t17_never_reads = "never-reads", ANY, lost(Timeout, "did not answer");
    fn fault_t17_never_reads_and_its_pipe_is_full =
        "never-reads-its-chat", PIPE, lost(Timeout, "it did not take note of what it was told");
    fn fault_t17_never_reads_from_the_network = "never-reads-its-chat", NET, lost(Timeout, "did not answer");
    fn fault_t19_a_byte_now_and_then = "drip", LINES, lost(Timeout, "sent `{\"ty");
    fn fault_t19_a_byte_of_a_frame_now_and_then = "drip", WS, lost(Timeout, "expected {\"type\":\"move\"");
    fn fault_t19_half_an_answer_then_nothing = "half-then-silence", LINES, lost(Timeout, "sent `{\"type\":\"move\",\"`");
    fn fault_t19_half_a_frame_then_nothing = "half-then-silence", WS, lost(Timeout, "expected {\"type\":\"move\"");
    fn fault_t19_an_answer_without_its_end =
        "no-newline", LINES, lost(Timeout, "sent `{\"type\":\"move\",\"id\":1,\"index\":0}`");
    fn fault_t20_a_binary_message = "binary", WS, lost(Malformed, "a binary frame");
    fn fault_t20_an_unmasked_frame = "unmasked", WS, lost(Malformed, "unmasked frame");
    fn fault_t20_a_compressed_frame = "compressed", WS, lost(Malformed, "Reserved bits");
    fn fault_t20_a_frame_of_no_kind = "bad-opcode", WS, lost(Malformed, "invalid opcode: 3");
    fn fault_t20_half_a_ping = "fragmented-ping", WS, lost(Malformed, "Fragmented control frame");
    fn fault_t20_a_long_ping = "long-ping", WS, lost(Malformed, "Control frame too big");
    fn fault_t20_the_end_of_nothing = "stray-fragment", WS, lost(Malformed, "nothing to continue");
    fn fault_t20_pings_for_ever = "ping-flood", WS, lost(OutputLimit, "more than 100 frames without a message");
    fn fault_t20_fragments_of_one_byte = "fragments", WS, lost(OutputLimit, "too long: 65537 > 65536");
    fn fault_t20_fragments_of_nothing = "empty-fragments", WS, lost(OutputLimit, "bytes without a message");
    fn fault_t20_closes_and_stays =
        "close", WS, lost(Disconnected, "it lost its connection and did not come back").within(300);
    fn fault_t20_closes_wrongly = "bad-close", WS, lost(Malformed, "Invalid close sequence");

    fn fault_c10_infos_for_ever = "flood-info", ANY, lost(OutputLimit, "more than 1000 messages");
    fn fault_c10_chat_for_ever = "flood-say", ANY, lost(OutputLimit, "more than 1000 messages");
    fn fault_c10_chat_for_ever_while_nobody_asks = "flood-unasked", ANY, lost(OutputLimit, "more than 1000 messages");
    fn fault_c10_unknown_messages_for_ever = "flood-unknown", ANY, lost(OutputLimit, "of no known type");
    fn fault_c10_a_flood_of_the_log = "flood-stderr", PIPE, played("[rookery: ");
}
