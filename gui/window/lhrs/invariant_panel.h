// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"
#include "gui/view/panels/lhrs/invariant_list.h"
#include "gui/show/pacer.h"

#include <QWidget>

#include <functional>

class QLabel;

namespace lhrs::gui {

class Actions;

// The invariants of the shown instant, the number that hold, and the buttons for further checks.
class InvariantPanel : public QWidget, public FrameView {
    Q_OBJECT
public:
    // `begin`: returns when the shown run began.
    InvariantPanel(
        const Pacer& pacer, std::function<std::int64_t()> begin, Actions& actions, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    InvariantList& list() { return *m_list; }
    QString summary() const;
    void setTheme(const Theme& theme);

private:
    const Pacer& m_pacer;
    const std::function<std::int64_t()> m_begin;
    InvariantList* m_list;
    QLabel* m_summary;
    std::uint64_t m_version = 0;
    double m_time = 0, m_shownAt = -1;
};

} // namespace lhrs::gui
