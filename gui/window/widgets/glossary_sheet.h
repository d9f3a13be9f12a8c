// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/glossary.h"
#include "gui/view/time/frame_clock.h"

#include <QDialog>

#include <functional>
#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QTextBrowser;

namespace lhrs::gui {

// The terms of the window, searchable by a part of a word: for each its meaning, an example from what is shown now, its
// source, and related terms. It stays beside the picture until it is closed, and the example follows the cluster.
class GlossarySheet : public QDialog, public FrameView {
    Q_OBJECT
public:
    using Example = std::function<QString(const Term&)>;
    GlossarySheet(Example example, QWidget* parent);

    // Shows the sheet at the term, or with the search field ready if there is none.
    void openAt(const Term* term);
    const Term* shown() const { return m_shown; }
    bool refresh(double seconds) override;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void search(const QString& words);
    void show(const Term* term);
    void write();
    void resizeList();

    Example m_example;
    QLineEdit* m_words;
    QListWidget* m_list;
    QTextBrowser* m_entry;
    QLabel* m_related;
    std::vector<const Term*> m_found;
    const Term* m_shown = nullptr;
    QString m_written; // the example that is displayed
    double m_time = 0, m_writtenAt = 0;
};

} // namespace lhrs::gui
