// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/editor/script_highlighter.h"

namespace lhrs::gui {

QTextCharFormat formatOf(ScriptWordKind kind, const Theme& theme)
{
    const bool dark = theme.isDark();
    const auto shade = [&](QRgb light, QRgb onDark) {
        return theme.isHighContrast() ? theme.text : QColor::fromRgb(dark ? onDark : light);
    };
    QTextCharFormat format;
    switch (kind) {
    case ScriptWordKind::Comment:
        format.setForeground(theme.muted);
        format.setFontItalic(true);
        break;
    case ScriptWordKind::String: format.setForeground(shade(0xff00664b, 0xff7fd9b5)); break;
    case ScriptWordKind::Number: format.setForeground(shade(0xff8a4b00, 0xfff0c987)); break;
    case ScriptWordKind::Keyword:
        format.setForeground(shade(0xff005a8d, 0xff7cc4f5));
        format.setFontWeight(QFont::Bold);
        break;
    case ScriptWordKind::Call:
        format.setForeground(shade(0xff86306a, 0xfff0b3d9));
        format.setFontWeight(QFont::Bold);
        break;
    case ScriptWordKind::LaterCall:
        format.setForeground(theme.muted);
        format.setFontStrikeOut(true);
        break;
    case ScriptWordKind::UnknownCall:
        format.setForeground(theme.badText);
        format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        format.setUnderlineColor(theme.badText);
        break;
    }
    return format;
}

void ScriptHighlighter::setTheme(const Theme& theme)
{
    m_theme = theme;
    rehighlight();
}

void ScriptHighlighter::highlightBlock(const QString& text)
{
    int state = std::max(0, previousBlockState());
    for (const ScriptWord& word : scriptWordsOf(text, state))
        setFormat(int(word.at), int(word.length), formatOf(word.kind, m_theme));
    setCurrentBlockState(state);
}

} // namespace lhrs::gui
