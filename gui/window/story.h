// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/theme.h"

#include <QAbstractListModel>
#include <QWidget>

#include <vector>

namespace lhrs::gui {

// What a scenario said and did, line by line: steps, captions, notes, prints, expectations.
struct StoryLine {
    enum class Kind { Step, Say, Note, Print, Held, Failed, End };
    Kind kind = Kind::Say;
    QString text;
};

class StoryModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    void setTheme(const Theme& theme);
    void add(const std::vector<StoryLine>& lines);
    void clear();
    const std::vector<StoryLine>& lines() const { return m_lines; }
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    std::vector<StoryLine> m_lines;
    Theme m_theme;
};

// Text as large as fits into its rectangle, on several lines.
class CaptionLabel : public QWidget {
    Q_OBJECT
public:
    using QWidget::QWidget;
    void setText(const QString& text);
    QString text() const { return m_text; }
    void setTheme(const Theme& theme);
    // Whether the last painting had room for all of the text.
    bool fits() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TextStyle styleThatFits() const;

    QString m_text;
    Theme m_theme;
};

} // namespace lhrs::gui
