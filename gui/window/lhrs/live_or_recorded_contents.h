// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/records/record_model.h"

namespace lhrs::gui {

struct WindowParts;

// The source of bytes for the views of the window. For a running cluster it reads from the processes and records what
// was read. For a recorded run it returns only what had been read by the instant that is shown.
class LiveOrRecordedContents : public ContentsSource {
public:
    // All arguments must outlive this object.
    LiveOrRecordedContents(ContentsSource& live, const WindowParts& parts) : m_live(live), m_parts(parts) { }

    void readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject* receiver,
        std::function<void(ContentsAnswer)> done) override;

private:
    ContentsAnswer captured(ProcessId process, std::uint32_t rankFrom, std::uint32_t count) const;

    ContentsSource& m_live;
    const WindowParts& m_parts;
};

} // namespace lhrs::gui
