// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/process/process_words.h"

#include "common/kinds.h"

#include <array>
#include <cctype>
#include <cstdio>

namespace lhrs::gui {

std::string kindName(const pb::Event& event) { return typeOf(event); }

std::string processShown(ProcessId process, const RunState& state)
{
    const auto known = state.processes.find(process);
    if (known != state.processes.end() && !known->second.name.empty())
        return known->second.name;
    std::array<char, 32> text {};
    std::snprintf(text.data(), text.size(), "process %llx", static_cast<unsigned long long>(process));
    return text.data();
}

std::string operationShown(const pb::RequestId& operation, const RunState& state)
{
    return operation.client() == 0 ? std::string()
                                   : processShown(operation.client(), state) + " " + std::to_string(operation.number());
}

std::string operationWord(pb::OperationKind kind)
{
    switch (kind) {
    case pb::INSERT: return "insert";
    case pb::UPDATE: return "update";
    case pb::DELETE: return "delete";
    case pb::SEARCH: return "search";
    case pb::OPERATION_UNKNOWN:
    case pb::OperationKind_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::OperationKind_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return "operation";
}

std::string resultWord(pb::ResultCode result)
{
    switch (result) {
    case pb::OK: return "ok";
    case pb::NOT_FOUND: return "not found";
    case pb::EXISTS: return "exists";
    case pb::RETRY: return "not carried out, may be repeated";
    case pb::LOST: return "lost";
    case pb::UNKNOWN_OUTCOME: return "unknown outcome";
    case pb::INVALID: return "invalid";
    case pb::RESULT_UNKNOWN:
    case pb::ResultCode_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::ResultCode_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return "no result";
}

std::string pathWord(pb::Path path)
{
    if (!pb::Path_IsValid(path))
        return "direct"; // from a later version
    std::string word = pb::Path_Name(path);
    for (char& c : word)
        c = c == '_' ? ' ' : char(std::tolower(static_cast<unsigned char>(c)));
    return word.starts_with("by ") ? word.substr(3) : word;
}

std::string transportWord(pb::Transport transport)
{
    switch (transport) {
    case pb::UDP: return "UDP";
    case pb::STREAM: return "TCP";
    case pb::MULTICAST: return "multicast";
    case pb::Transport_INT_MIN_SENTINEL_DO_NOT_USE_:
    case pb::Transport_INT_MAX_SENTINEL_DO_NOT_USE_: break;
    }
    return "an unknown way";
}

} // namespace lhrs::gui
