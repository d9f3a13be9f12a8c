// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/display_list.h"

#include <QWidget>

#include <vector>

namespace lhrs::gui {

// What the status line says, from left to right. Where the width does not suffice, shorter wordings are taken, and
// then the least important are left out.
struct StatusPart {
    Glyph glyph = Glyph::None;
    QColor colour;        // of the glyph
    QStringList wordings; // longest first
    int importance = 0;   // the larger, the longer it stays
    bool isBold = false;
    const char* action = nullptr; // that a click on it does
};

class StatusStrip : public QWidget {
    Q_OBJECT
public:
    explicit StatusStrip(QWidget* parent = nullptr);
    void setParts(std::vector<StatusPart> parts);
    void setTheme(const Theme& theme);
    QString text() const { return m_list.texts().join(QStringLiteral("   ")); }
    const DisplayList& picture() const { return m_list; }
    // Where the part with this action is; empty: it is left out.
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
