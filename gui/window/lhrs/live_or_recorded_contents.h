// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/replay/time_line.h"
#include "gui/view/lhrs/records/record_model.h"

#include <functional>
#include <utility>

namespace lhrs::gui {

class Recorder;

// The source of bytes for the views of the window. For a running cluster it reads from the processes and records what
// was read. For a recorded run it returns only what had been read by the instant that is shown.
class LiveOrRecordedContents : public ContentsSource {
public:
    // The first three must outlive this object. `recorder`: asked at each answer, since a recording begins and ends
    // meanwhile; null: nothing is recorded.
    LiveOrRecordedContents(
        ContentsSource& live, TimeLine& time, const Pacer& pacer, std::function<Recorder*()> recorder)
        : m_live(live), m_time(time), m_pacer(pacer), m_recorder(std::move(recorder))
    {
    }

    void readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject* receiver,
        std::function<void(ContentsAnswer)> done) override;

private:
    ContentsAnswer captured(ProcessId process, std::uint32_t rankFrom, std::uint32_t count) const;

    ContentsSource& m_live;
    TimeLine& m_time;
    const Pacer& m_pacer;
    std::function<Recorder*()> m_recorder;
};

} // namespace lhrs::gui
