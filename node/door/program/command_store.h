// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/door/key_window.h"
#include "node/door/store_port.h"
#include "node/machine/requests/record_sink.h"
#include "node/runtime/program_part.h"

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace lhrs {

// A store as the commands that every client machine obeys: operations by Operate, scans by RunScan. Commands are
// collected and given together, so the core is locked once for many, and the thread of the door wakes once for many
// replies. Everything is for the thread of the door, except what is named otherwise.
class CommandStore : public RecordSink {
public:
    // `give`: lets the machine carry out the commands. `wake`: called from any thread when replies wait, once until
    // they are taken.
    CommandStore(std::function<void(std::span<const pb::Command>)> give, std::function<void()> wake)
        : m_give(std::move(give)), m_wake(std::move(wake))
    {
    }

    // `asker` and `operation` come back with the answer.
    void operate(std::uint32_t asker, std::uint32_t operation, pb::OperationKind kind, Key key, std::string_view value);
    // Scans the store into the window; one scan at a time.
    void scan(std::unique_ptr<KeyWindow> window);
    // Gives what was collected.
    void flush();

    struct Answer {
        std::uint32_t asker = 0, operation = 0;
        StoreAnswer answer;
    };
    struct ScanEnd {
        std::unique_ptr<KeyWindow> window;
        std::string error; // empty: it is complete
    };
    // The answers that have come, into a list whose memory is reused; and the end of the scan, if it has come.
    void take(std::vector<Answer>& answers, ScanEnd& scanEnd);

    // From any thread.
    void onReplies(std::span<pb::CommandReply* const> replies);
    // Within steps of the machine, while a scan is under way.
    bool wants(std::uint64_t ticket) const override;
    bool found(Key key, std::string_view value) override { return m_window->found(key, value); }
    void taken(std::uint64_t count) override { m_window->setCount(count); }

private:
    static constexpr std::size_t kCommandsMax = 128; // that are collected
    static constexpr std::size_t kBytesMax = std::size_t(4) << 20; // of their values

    const std::function<void(std::span<const pb::Command>)> m_give;
    const std::function<void()> m_wake;
    std::vector<pb::Command> m_commands; // they keep their memory; the first m_used wait
    std::size_t m_used = 0, m_bytes = 0;
    // Used by the machine from the command to its reply.
    std::unique_ptr<KeyWindow> m_window;

    // Shared with the threads that bring replies; guarded by m_mutex.
    std::mutex m_mutex;
    std::vector<Answer> m_answers;
    ScanEnd m_scanEnd;
};

} // namespace lhrs
