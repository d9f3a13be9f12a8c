// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/reel/script_observer.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace lhrs::gui {

// A question of a script to the audience, and the votes. The script waits in ask(), in its own thread, until the window
// closes the poll.
class Poll {
public:
    // The votes by choice; nothing: stopped, or questions are passed over.
    std::optional<std::vector<int>> ask(const Question& question, const std::stop_token& stop);

    // ---- the window's thread
    // Another run begins: nothing has been asked, and questions wait.
    void reset();
    // Off: questions are passed over, the present one too.
    void setWaiting(bool on);
    // A question waits for votes. / This one does.
    bool isOpen() const;
    bool isOpenFor(const QString& text, const QStringList& choices) const;
    // Of the newest question; empty: none was asked.
    std::vector<int> votes() const;
    // A vote for the choice with this number, from 1; or one vote more or fewer for the choice that was named last.
    void vote(int choice);
    void voteAgain(int difference);
    // The question counts as answered, and the script goes on.
    void close();

private:
    mutable std::mutex m_mutex; // guards the members below
    std::condition_variable_any m_changed;
    std::optional<Question> m_question;
    std::vector<int> m_votes;
    int m_votedLast = 0;
    bool m_isOpen = false, m_isWaiting = true;
};

} // namespace lhrs::gui
