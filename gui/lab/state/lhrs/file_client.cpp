// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/file_client.h"

#include <algorithm>

namespace lhrs::gui {

FileClient::FileClient() = default;
FileClient::FileClient(const FileClient& other) = default;
FileClient::FileClient(FileClient&& other) noexcept = default;
FileClient& FileClient::operator=(const FileClient& other) = default;
FileClient& FileClient::operator=(FileClient&& other) noexcept = default;
FileClient::~FileClient() = default;

const OperationState* FileClient::operation(std::uint64_t number) const
{
    const auto at = std::find_if(
        last.rbegin(), last.rend(), [number](const OperationState& one) { return one.number == number; });
    return at == last.rend() ? nullptr : &*at;
}

OperationState* FileClient::addOperation(std::uint64_t number)
{
    auto at = last.end();
    while (at != last.begin() && std::prev(at)->number >= number)
        --at;
    if (at != last.end() && at->number == number)
        return &*at;
    if (last.size() >= kOperations) {
        if (at == last.begin())
            return nullptr;
        const auto index = at - last.begin() - 1;
        last.pop_front();
        at = last.begin() + index;
    }
    at = last.insert(at, OperationState {});
    at->number = number;
    return &*at;
}

} // namespace lhrs::gui
