// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/resp_commands.h"

#include "node/door/glob_pattern.h"

#include <algorithm>

namespace lhrs {

namespace {

constexpr CommandRow kCommands[] = {
    { "get", Verb::Get, 2, 1, 1, 1, false, "The value of a key, or nil" },
    { "set", Verb::Set, -3, 1, 1, 1, true, "Sets the value of a key" },
    { "del", Verb::Del, -2, 1, -1, 1, true, "Deletes keys" },
    { "exists", Verb::Exists, -2, 1, -1, 1, false, "How many of the keys exist" },
    { "mget", Verb::Mget, -2, 1, -1, 1, false, "The values of several keys" },
    { "mset", Verb::Mset, -3, 1, -1, 2, true, "Sets several keys, one by one" },
    { "strlen", Verb::Strlen, 2, 1, 1, 1, false, "The length of the value of a key" },
    { "scan", Verb::Scan, -2, 0, 0, 0, false, "Some keys, and where to continue" },
    { "dbsize", Verb::Dbsize, 1, 0, 0, 0, false, "How many keys there are" },
    { "ping", Verb::Ping, -1, 0, 0, 0, false, "Answers PONG, or the argument" },
    { "echo", Verb::Echo, 2, 0, 0, 0, false, "Answers the argument" },
    { "info", Verb::Info, -1, 0, 0, 0, false, "What the door has done so far" },
    { "command", Verb::Command, -1, 0, 0, 0, false, "The commands that this door has" },
    { "client", Verb::Client, -2, 0, 0, 0, false, "The name and the number of a connection" },
    { "select", Verb::Select, 2, 0, 0, 0, false, "Database 0 is the only one" },
    { "quit", Verb::Quit, -1, 0, 0, 0, false, "Closes the connection" },
    { "config", Verb::Config, -2, 0, 0, 0, false, "GET: the settings of a door that clients ask for" },
    { "hello", Verb::Hello, -1, 0, 0, 0, false, "Version 2 of the protocol is the only one" },
    { "auth", Verb::Auth, -2, 0, 0, 0, false, "There are no passwords" },
};

// Commands of Redis by what they would need, as patterns.
struct Family {
    const char* patterns; // separated by spaces
    const char* reason;
};

constexpr Family kFamilies[] = {
    { "expire* pexpire* ttl pttl persist setex psetex getex touch", "records do not expire" },
    { "incr* decr* append setnx msetnx getset getdel setrange setbit getbit bit* getrange substr rename*",
        "an operation reads or writes one whole record, and none does both" },
    { "h*set* hget* hm* hdel hlen hkeys hvals hexists hscan hincr* hstrlen l* r*push* r*pop* bl* br* s*add s*rem "
      "s*card "
      "smembers sismember smismember sinter* sunion* sdiff* spop srandmember smove sscan sort* z* bz* x* geo* pf* type "
      "object",
        "values are bytes; there are no hashes, lists, sets and streams" },
    { "multi exec discard watch unwatch eval* script fcall* function", "there are no transactions over several keys" },
    { "*subscribe publish pubsub monitor", "clients of the store do not send each other messages" },
    { "keys randomkey", "use SCAN, which does not stop everybody else" },
    { "flush* swapdb move copy dump restore migrate", "use DEL; the store is no cache that can be emptied at once" },
    { "unlink", "use DEL" },
    { "save bgsave bgrewriteaof lastsave shutdown debug replicaof slaveof psync sync role cluster wait failover memory "
      "latency slowlog module acl reset readonly readwrite asking",
        "the store is no Redis server; its servers are watched and controlled by their own commands" },
};

} // namespace

std::span<const CommandRow> respCommands() { return kCommands; }

bool isSameWord(std::string_view a, std::string_view b)
{
    const auto lowered = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lowered(x) == lowered(y); });
}

const CommandRow* findCommand(std::string_view name)
{
    const auto found = std::find_if(std::begin(kCommands), std::end(kCommands),
        [name](const CommandRow& row) { return isSameWord(row.name, name); });
    return found == std::end(kCommands) ? nullptr : found;
}

bool isArityRight(const CommandRow& row, std::size_t count)
{
    return row.arity < 0 ? count >= std::size_t(-row.arity) : count == std::size_t(row.arity);
}

std::string whyNotCommand(std::string_view name)
{
    constexpr std::size_t kNameMax = 64; // of a longer name, only the begin is repeated
    std::string text = "ERR unknown command '" + std::string(name.substr(0, kNameMax)) + "': ";
    for (const Family& family : kFamilies) {
        for (std::string_view left = family.patterns; !left.empty();) {
            const std::string_view pattern = left.substr(0, left.find(' '));
            left.remove_prefix(std::min(left.size(), pattern.size() + 1));
            if (matchesGlob(pattern, name, true))
                return text + family.reason;
        }
    }
    return text + "COMMAND lists the commands that this door has";
}

} // namespace lhrs
