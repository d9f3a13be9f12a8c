// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/paint/theme.h"

#include <QWidget>

class QLabel;
class QLineEdit;

namespace lhrs::gui {

class ScriptEdit;

// Finds words in the text and replaces them.
class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(ScriptEdit& edit, QWidget* parent = nullptr);
    // Opens the bar and searches for the selected words.
    void open();
    void setTheme(const Theme& theme);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void find(bool isBackward);
    void replace();
    void replaceAll();
    void close();

    ScriptEdit& m_edit;
    QLineEdit *m_words, *m_others;
    QLabel* m_found;
};

} // namespace lhrs::gui
