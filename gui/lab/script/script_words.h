// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>

#include <vector>

namespace lhrs::gui {

// The kind of a piece of scenario text, for syntax colours. Text without a kind is plain.
enum class ScriptWordKind {
    Comment,
    String, // also templates and regular expressions
    Number,
    Keyword,
    Call, // lab.say, or a method of an object that lab returns: .insert(
    LaterCall, // of a later version
    UnknownCall, // lab.splitt
};
struct ScriptWord {
    qsizetype at = 0, length = 0;
    ScriptWordKind kind = ScriptWordKind::Comment;
    bool operator==(const ScriptWord&) const = default;
};

// The words of one line. `state`: what the previous line left open (0: nothing); updated for the next line.
std::vector<ScriptWord> scriptWordsOf(QStringView line, int& state);

// The lines, from 1, that contain a call of lab: where a script can stop.
std::vector<int> callLinesOf(const QString& source);

// Completions for the last word before a cursor; `start` is the column where that word begins.
struct Completions {
    qsizetype start = 0;
    QStringList words; // sorted
};
// `line`: up to the cursor; `source` defines the variables (const alice = lab.client('alice')).
Completions completionsFor(const QString& line, const QString& source);

// Help on the call that contains position `at`: its sentence, its options, an example. Empty if there is none.
QString callHelp(const QString& line, qsizetype at);

} // namespace lhrs::gui
