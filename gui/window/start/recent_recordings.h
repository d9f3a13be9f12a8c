// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include <vector>

namespace lhrs::gui {

class Remembered;

// A recording that the window opened or saved.
struct RecentRecording {
    QString path; // absolute
    QString began {}; // when its run began, UTC, ISO 8601; empty: not in the file
    QString scenario {}; // name of the scenario's file; empty: none was played
    bool isSimulated = false;
    bool operator==(const RecentRecording&) const = default;

    bool isThere() const;
    // "2026-11-21 23:42", in local time.
    QString date() const;
};

// Newest first; each file occurs once.
class RecentRecordings {
public:
    static constexpr std::size_t kMost = 12;

    const std::vector<RecentRecording>& all() const { return m_all; }
    void add(const RecentRecording& recording);
    void forgetMissing();
    void recall(const Remembered& remembered);
    void keep(Remembered& remembered) const;

private:
    std::vector<RecentRecording> m_all;
};

} // namespace lhrs::gui
