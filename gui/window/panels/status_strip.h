// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/display_list.h"

#include <QWidget>

#include <vector>

namespace lhrs::gui {

// A part of the status line, which is filled from left to right. If the width does not suffice, shorter wordings are
// used first, and then the least important parts are left out.
struct StatusPart {
    Glyph glyph = Glyph::None;
    QColor colour; // of the glyph
    QStringList wordings; // longest first
    int importance = 0; // parts with a larger value stay longer
    bool isBold = false;
    const char* action = nullptr; // the action that a click triggers
};

class StatusStrip : public QWidget {
    Q_OBJECT
public:
    explicit StatusStrip(QWidget* parent = nullptr);
    void setParts(std::vector<StatusPart> parts);
    void setTheme(const Theme& theme);
    QString text() const { return m_list.texts().join(QStringLiteral("   ")); }
    const DisplayList& picture() const { return m_list; }
    // The place of the part with this action; empty: it is left out.
    QRectF partOf(const char* action) const;

signals:
    void actionWanted(const QString& action);

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();

    std::vector<StatusPart> m_parts;
    std::vector<std::pair<QRectF, const char*>> m_buttons;
    Theme m_theme;
    DisplayList m_list;
};

} // namespace lhrs::gui
