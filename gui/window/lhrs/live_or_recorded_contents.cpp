// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/live_or_recorded_contents.h"

#include "gui/lab/recording/lhrs/captured_contents.h"
#include "gui/lab/recording/recorder.h"
#include "gui/lab/state/lhrs/place_numbers.h"

#include <QObject>

#include <utility>

namespace lhrs::gui {

void LiveOrRecordedContents::readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count,
    QObject* receiver, std::function<void(ContentsAnswer)> done)
{
    if (m_time.isReplay()) {
        // Calls back later, like every answer: the caller may be in the middle of its list.
        QMetaObject::invokeMethod(
            receiver, [answer = captured(process, rankFrom, count), done = std::move(done)] { done(answer); },
            Qt::QueuedConnection);
        return;
    }
    m_live.readContents(
        process, rankFrom, count, receiver, [this, rankFrom, count, done = std::move(done)](ContentsAnswer answer) {
            if (Recorder* recorder = m_recorder(); answer.isOk && recorder)
                if (const auto part = partOf(answer.page, rankFrom, count))
                    recorder->capture(*part);
            done(std::move(answer));
        });
}

ContentsAnswer LiveOrRecordedContents::captured(ProcessId process, std::uint32_t rankFrom, std::uint32_t count) const
{
    ContentsAnswer answer;
    const ClusterState& state = m_pacer.state();
    const auto known = state.processes.find(process);
    std::optional<pb::ContentsPage> page;
    if (known != state.processes.end())
        page = capturedContents(known->second.place, rankFrom, count, [&](const auto& take) {
            m_time.recording()->captured(placeNumber(known->second.place), rankFrom, count, m_time.cursor(), take);
        });
    if (page) {
        answer.isOk = true;
        answer.page = std::move(*page);
    } else {
        answer.why = QObject::tr("they had not been read when this instant was recorded. Events carry no bytes; what "
                                 "tables, record groups and witnesses read is kept.");
    }
    return answer;
}

} // namespace lhrs::gui
