// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/door/key_window.h"
#include "node/door/store_port.h"

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace lhrs {

// The scans of a door, one at a time, and the connections that wait for them. A cursor is a store key: "all keys from
// here on have not been returned". It needs no memory here, may be used again, and stays valid whatever happens to the
// store.
//
// Pages are read from the window of the last scan. A page from 0, where an iteration begins, waits for a scan that
// begins later, and windows are only replaced by newer ones. So every window that an iteration reads is from its own
// time, and a key that exists all that time is in all of them: it is returned.
class KeyScan {
public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kKept { 60 }; // a window that nobody has read for so long is dropped

    // What an asker gets: a page, a count, or the reason why there is none.
    struct Answer {
        std::uint32_t asker = 0;
        bool isCount = false;
        std::uint64_t count = 0;
        KeyWindow::Page page {}; // valid until the next call
        std::string error {}; // with its code; empty: there is none
    };

    // `bytesMax`: of a window.
    explicit KeyScan(std::size_t bytesMax = KeyWindow::kBytesMax) : m_bytesMax(bytesMax) { }

    // An asker asks for one thing at a time.
    void askPage(std::uint32_t asker, std::uint64_t from, std::uint32_t count)
    {
        m_waiting.push_back({ asker, from, count });
    }
    void askCount(std::uint32_t asker) { m_waiting.push_back({ asker, 0, 0, true }); }
    // An asker that is gone wants no answer.
    void forget(std::uint32_t asker);
    // Answers that are possible now, without waiting for a scan.
    std::vector<Answer> answers(Clock::time_point now);
    // The window that a scan is to fill, if one is wanted and none runs. It must be given to ended().
    std::unique_ptr<KeyWindow> begin();
    // The scan is over, with an error or without. `now`: as in answers().
    void ended(std::unique_ptr<KeyWindow> window, std::string error, Clock::time_point now);
    // Drops a window that nobody reads.
    void look(Clock::time_point now);
    bool isWaiting() const { return !m_waiting.empty() || !m_answers.empty(); }

private:
    struct Question {
        std::uint32_t asker = 0;
        std::uint64_t from = 0;
        std::uint32_t count = 0;
        bool isCount = false;
        bool isInScan = false; // the scan that runs began after the question
    };
    bool isFresh(const Question& question) const { return question.from == 0; }
    Answer answerFrom(const KeyWindow& window, const Question& question) const;

    const std::size_t m_bytesMax;
    std::vector<Question> m_waiting;
    std::unique_ptr<KeyWindow> m_window; // of the last scan
    std::vector<Answer> m_answers; // that ended() found
    bool m_isRunning = false;
    Clock::time_point m_used {};
};

} // namespace lhrs
