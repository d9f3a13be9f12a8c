// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/script/script_words.h"
#include "gui/view/paint/theme.h"

#include <QSyntaxHighlighter>

namespace lhrs::gui {

// How a piece of a scenario's text looks. Not by colour alone: comments are slanted, keywords and calls bold, and what lab
// does not have is underlined.
QTextCharFormat formatOf(ScriptWordKind kind, const Theme& theme);

// Colours a scenario; what is a call of lab is asked of its reference.
class ScriptHighlighter : public QSyntaxHighlighter {
    Q_OBJECT
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;
    void setTheme(const Theme& theme);

protected:
    void highlightBlock(const QString& text) override;

private:
    Theme m_theme;
};

} // namespace lhrs::gui
