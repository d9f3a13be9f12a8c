// SPDX-License-Identifier: GPL-3.0-or-later
// What a client of the Redis protocol sends to a door, and records that no door has written.
#include "tests/door/resp_rig.h"
#include "tests/fuzz/targets.h"

#include <charconv>

namespace lhrs::fuzz {

namespace {

// Moves behind one reply; false: there is no whole one, or it is none.
bool skipReply(std::string_view& bytes)
{
    const std::size_t end = bytes.find("\r\n");
    if (end == std::string_view::npos || end == 0)
        return false;
    const char type = bytes[0];
    const std::string_view line = bytes.substr(1, end - 1);
    bytes.remove_prefix(end + 2);
    if (type == '+' || type == '-')
        return line.find_first_of("\r\n") == std::string_view::npos;
    std::int64_t number = 0;
    const auto [stop, code] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (code != std::errc() || stop != line.data() + line.size())
        return false;
    if (type == '$' && number >= 0) {
        const std::size_t length = std::size_t(number);
        if (bytes.size() < length + 2 || bytes.substr(length, 2) != "\r\n")
            return false;
        bytes.remove_prefix(length + 2);
    } else if (type == '*') {
        for (; number > 0; --number) {
            if (!skipReply(bytes))
                return false;
        }
    } else {
        return type == ':' || (type == '$' && number == -1);
    }
    return true;
}

// The replies to the input in such pieces. The store answers after each piece, the first or the last operation first.
std::string repliesTo(std::string_view input, std::size_t piece, bool isLastFirst)
{
    test::RespRig rig;
    std::string replies;
    for (std::size_t at = 0; at < input.size() && rig.talk.wantsBytes(); at += piece) {
        rig.give(input.substr(at, piece));
        while (!rig.store.open.empty())
            rig.answer(isLastFirst ? rig.store.open.size() - 1 : 0);
        rig.answerAll();
        replies += rig.replies();
    }
    rig.talk.onEnd();
    rig.answerAll();
    replies += rig.replies();
    LHRS_CHECK(rig.talk.isOver() && !rig.talk.isAwaiting() && !rig.talk.wantsBytes() && rig.store.keysAreApart);
    LHRS_CHECK(rig.store.mostOpen <= RespConversation::kWindow);
    return replies;
}

// Replies are whole, and the same in whatever pieces the bytes come.
void runResp(std::string_view input)
{
    KeyWindow window;
    window.found(Key(1), input);
    window.found(Key(2), input.substr(input.size() / 2));
    window.close();
    LHRS_CHECK(window.page(0, 5).keys.size() <= 2);
    const std::string whole = repliesTo(input, std::max<std::size_t>(input.size(), 1), false);
    for (std::string_view left = whole; !left.empty();)
        LHRS_CHECK(skipReply(left));
    for (const std::size_t piece : { 1u, 7u }) {
        const std::string pieces = repliesTo(input, piece, piece == 7);
        // INFO tells how much was done when it was asked for.
        LHRS_CHECK(pieces == whole || whole.find("# Stats") != std::string::npos);
    }
}

std::vector<std::string> respSeeds()
{
    std::string talk, large = "*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n$60000\r\n" + std::string(60'000, 'x') + "\r\n";
    for (const std::vector<std::string>& words : { std::vector<std::string> { "SET", "k", "v" }, { "GET", "k" },
             { "MSET", "a", "1", "b", "2" }, { "MGET", "a", "b", "none" }, { "DEL", "a", "k", "a" },
             { "EXISTS", "a", "b" }, { "STRLEN", "b" }, { "SCAN", "0", "MATCH", "[a-z]*", "COUNT", "3" }, { "DBSIZE" },
             { "PING" }, { "ECHO", "x" }, { "COMMAND", "DOCS", "get" }, { "CLIENT", "SETNAME", "me" },
             { "CONFIG", "GET", "*" }, { "HELLO", "3" }, { "SELECT", "0" }, { "AUTH", "x" }, { "INCR", "n" } })
        talk += test::request(words);
    return { "", talk, talk + large.substr(0, 40) + "\r\n", "SET 'a b' \"\\x41\\n\"\r\nGET 'a b'\nPING\r\nQUIT\r\n",
        "*0\r\n*-1\r\n\r\n", "*1048576\r\n$16777216\r\n", "*1\r\n$-1\r\n", "POST / HTTP/1.1\r\nHost: x\r\n\r\n",
        std::string("\0\1k", 3) };
}

} // namespace

Target respTarget()
{
    return { "resp", "what a client of the Redis protocol sends to a door", &runResp, &respSeeds, &mutateBytes, 5'000 };
}

} // namespace lhrs::fuzz
