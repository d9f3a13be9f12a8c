// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/records/record_model.h"

#include <QObject>

namespace lhrs::gui {

class ControlClient;

// Records as the processes of a running cluster answer.
class LiveContents : public QObject, public ContentsSource {
public:
    explicit LiveContents(ControlClient& control) : m_control(control) { }

    void readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject* receiver,
        std::function<void(ContentsAnswer)> done) override;

private:
    ControlClient& m_control;
};

} // namespace lhrs::gui
