// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/theme.h"

#include <QAbstractListModel>
#include <QSortFilterProxyModel>
#include <QWidget>

#include <vector>

namespace lhrs::gui {

// Lines of what a scenario said and did: steps, captions, notes, prints, expectations.
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
    // Replaces the newest line.
    void replaceLast(const StoryLine& line);
    void clear();
    // Shows exactly these lines. Equal lines at the beginning stay in place, so that the list does not jump.
    void show(const std::vector<StoryLine>& lines, std::size_t count);
    const std::vector<StoryLine>& lines() const { return m_lines; }
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

    static constexpr int kKindRole = Qt::UserRole;

private:
    std::vector<StoryLine> m_lines;
    Theme m_theme;
};

// The story for the audience: without the presenter's notes and without text that is printed for the log.
class HallStory : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
};

// Text on several lines, in the largest size that fits into its rectangle. Each new text is announced to screen readers
// as a notification.
class CaptionLabel : public QWidget {
    Q_OBJECT
public:
    explicit CaptionLabel(QWidget* parent = nullptr);
    // `seen`: the part that is painted; the rest is displayed elsewhere; empty: all.
    void setText(const QString& text, const QString& seen = {});
    QString text() const { return m_text; }
    QString seen() const { return m_seen; }
    void setTheme(const Theme& theme);
    // Whether all of the text fitted when it was last painted.
    bool fits() const;
    // The font that was used in the last painting.
    QFont fontShown() const { return m_theme.font(styleThatFits()); }

signals:
    // A new text for screen readers.
    void announced(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TextStyle styleThatFits() const;

    QString m_text, m_seen, m_painted; // the whole text; the part to paint; that part with no-break spaces
    Theme m_theme;
};

} // namespace lhrs::gui
