// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>

#include <vector>

namespace lhrs::gui {

// What a piece of a scenario's text is, as an editor colours it. What has no word here is plain.
enum class ScriptWordKind {
    Comment,
    String, // also templates and regular expressions
    Number,
    Keyword,
    Call,        // lab.split, or a call of what lab gives: .insert(
    LaterCall,   // of a later version
    UnknownCall, // lab.splitt
};
struct ScriptWord {
    qsizetype at = 0, length = 0;
    ScriptWordKind kind = ScriptWordKind::Comment;
    bool operator==(const ScriptWord&) const = default;
};

// Splits one line; `state` says what the line before left open (0: nothing), and becomes what this one does.
std::vector<ScriptWord> scriptWordsOf(QStringView line, int& state);

// The lines, from 1, in which something of lab is called: where a script can stop.
std::vector<int> callLinesOf(const QString& source);

// What may be written in place of the last word before a cursor: `start` is where that word begins in the line.
struct Completions {
    qsizetype start = 0;
    QStringList words; // sorted
};
// `line` up to the cursor; `source` tells what the names stand for (const alice = lab.client('alice')).
Completions completionsFor(const QString& line, const QString& source);

// What the call in which `at` lies is, for whoever points at it: its sentence, its options, an example. Empty: none.
QString callHelp(const QString& line, qsizetype at);

} // namespace lhrs::gui
