// SPDX-License-Identifier: GPL-3.0-or-later
// A file of the tree as the house rules see it: a path and a text. A finding is "path:line: what is wrong and what to
// do".
#pragma once

#include <QDir>
#include <QHash>
#include <QList>
#include <QMap>
#include <QRegularExpression>
#include <QSet>
#include <QString>
#include <QStringList>

#include <algorithm>

namespace lhrs::tidy {

using namespace Qt::Literals::StringLiterals;

struct File {
    QString path; // from the root of the tree, with '/'
    QString text;
};

// Multi-line: ^ and $ are the ends of a line.
inline QRegularExpression pattern(const QString& text)
{
    return QRegularExpression(text, QRegularExpression::MultilineOption);
}

inline QString finding(const File& file, qsizetype offset, const QString& what)
{
    return u"%1:%2: %3"_s.arg(file.path).arg(file.text.left(offset).count(u'\n') + 1).arg(what);
}

inline bool isCpp(const QString& path) { return path.endsWith(".cpp"_L1) || path.endsWith(".h"_L1); }

// A C++ text with comments and literals blanked out. Its length is unchanged, so that offsets stay valid.
inline QString codeOf(const QString& text)
{
    static const QRegularExpression kNoCode(uR"re(//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1")re"_s
            + uR"re(|"(?:[^"\\\n]|\\.)*"|(?<![0-9A-Za-z_])'(?:[^'\\\n]|\\.)*')re"_s,
        QRegularExpression::DotMatchesEverythingOption);
    QString code = text;
    for (auto matches = kNoCode.globalMatch(text); matches.hasNext();) {
        const auto match = matches.next();
        for (qsizetype at = match.capturedStart(); at < match.capturedEnd(); ++at)
            if (code[at] != u'\n')
                code[at] = u' ';
    }
    return code;
}

// One finding for each match of the expression in `text` (the file itself, or its code); %1 is the matched text.
inline QStringList everywhere(const File& file, const QString& text, const QString& expression, const QString& what)
{
    QStringList found;
    for (auto matches = pattern(expression).globalMatch(text); matches.hasNext();) {
        const auto match = matches.next();
        found << finding(file, match.capturedStart(), QString(what).replace("%1"_L1, match.captured().trimmed()));
    }
    return found;
}

} // namespace lhrs::tidy
