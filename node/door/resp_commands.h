// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of the Redis protocol that a door has, as one table, and why it does not have the others.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace lhrs {

enum class Verb {
    Get,
    Set,
    Del,
    Exists,
    Mget,
    Mset,
    Strlen,
    Scan,
    Dbsize,
    Ping,
    Echo,
    Info,
    Command,
    Client,
    Select,
    Quit,
    Config,
    Hello,
    Auth
};

// What clients may ask about a command (COMMAND, COMMAND DOCS).
struct CommandRow {
    const char* name;
    Verb verb;
    int arity; // arguments with the name; negative: at least so many
    int firstKey, lastKey, keyStep; // places of the keys; last -1: the last argument
    bool isWrite;
    const char* summary;
};

std::span<const CommandRow> respCommands();
// In capitals or not; null: there is no such command.
const CommandRow* findCommand(std::string_view name);
bool isArityRight(const CommandRow& row, std::size_t count);
// "-ERR" for a command that is not there: what it would need, and what there is instead.
std::string whyNotCommand(std::string_view name);
// Whether two words are equal but for capitals.
bool isSameWord(std::string_view a, std::string_view b);

} // namespace lhrs
