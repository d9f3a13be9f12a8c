// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/theme.h"

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <QWidget>

#include <vector>

namespace lhrs::gui {

// What a scenario said and did, line by line: steps, captions, notes, prints, expectations.
struct StoryLine {
    enum class Kind { Step, Say, Note, Print, Held, Failed, End };
    Kind kind = Kind::Say;
    QString text;
    bool operator==(const StoryLine&) const = default;
};

class StoryModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    void setTheme(const Theme& theme);
    void add(const std::vector<StoryLine>& lines);
    // The newest line says something else.
    void replaceLast(const StoryLine& line);
    void clear();
    // Exactly these lines: what is the same at the beginning stays, so that a list does not jump.
    void show(const std::vector<StoryLine>& lines, std::size_t count);
    const std::vector<StoryLine>& lines() const { return m_lines; }
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

    static constexpr int kKindRole = Qt::UserRole;

private:
    std::vector<StoryLine> m_lines;
    Theme m_theme;
};

// The story as the hall may see it: without the presenter's notes and without what is printed for the log.
class HallStory : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
};

// Text as large as fits into its rectangle, on several lines. A screen reader is told each new text: to it, this is a
// notification.
class CaptionLabel : public QWidget {
    Q_OBJECT
public:
    explicit CaptionLabel(QWidget* parent = nullptr);
    // `seen`: so much of it is painted, the rest stands elsewhere; empty: all.
    void setText(const QString& text, const QString& seen = {});
    QString text() const { return m_text; }
    QString seen() const { return m_seen; }
    void setTheme(const Theme& theme);
    // Whether the last painting had room for all of the text.
    bool fits() const;
    // The letters of the last painting.
    QFont fontShown() const { return m_theme.font(styleThatFits()); }

signals:
    // A new text, which screen readers are told.
    void announced(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TextStyle styleThatFits() const;

    QString m_text, m_seen, m_painted; // as it was said; what is painted of it; with the spaces at which no line ends
    Theme m_theme;
};

} // namespace lhrs::gui
