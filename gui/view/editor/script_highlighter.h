// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/script/script_words.h"
#include "gui/view/paint/theme.h"

#include <QSyntaxHighlighter>

namespace lhrs::gui {

// The format of a piece of a scenario's text. Colour is never the only sign: comments are slanted, keywords and calls
// are bold, and functions that lab does not have are underlined.
QTextCharFormat formatOf(ScriptWordKind kind, const Theme& theme);

// Colours a scenario; the reference of lab says which words are calls.
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
