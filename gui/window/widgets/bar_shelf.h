// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QScrollArea>

namespace lhrs::gui {

// Holds the bars of buttons above the picture. They are as high as they need; a low window shows only one row of them
// and scrolls to the others.
class BarShelf : public QScrollArea {
    Q_OBJECT
public:
    explicit BarShelf(QWidget* parent = nullptr);
    // Takes ownership of the bar, which has a FlowLayout, and puts it below the others.
    void add(QWidget* bar);
    void setLow(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fit();

    bool m_isLow = false;
};

} // namespace lhrs::gui
