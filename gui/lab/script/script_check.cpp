// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/script/script_check.h"

#include "gui/lab/calls/lab_reference.h"
#include "gui/lab/script/script_words.h"
#include "gui/lab/tables/near_word.h"

#include <QJSEngine>
#include <QRegularExpression>

namespace lhrs::gui {

namespace {

constexpr QChar kInText(u'\u0001'); // replaces the contents of comments, strings, templates and regular expressions

// A part of the source: from its first character to one past its last.
struct Part {
    qsizetype from = 0, to = 0;
};

// The source with its length unchanged, but without text that only looks like code.
QString codeOf(const QString& source)
{
    QString code = source;
    int state = 0;
    qsizetype begin = 0;
    for (const QString& line : source.split('\n')) {
        for (const ScriptWord& word : scriptWordsOf(line, state)) {
            if (word.kind != ScriptWordKind::Comment && word.kind != ScriptWordKind::String)
                continue;
            for (qsizetype at = word.at; at < word.at + word.length; ++at)
                code[begin + at] = word.kind == ScriptWordKind::Comment ? QChar(u' ') : kInText;
        }
        begin += line.size() + 1;
    }
    return code;
}

// Checks the calls of one source.
class CallCheck {
public:
    explicit CallCheck(const QString& source) : m_source(source), m_code(codeOf(source)) { }

    std::optional<ScriptProblem> first()
    {
        static const QRegularExpression kCall("(?<![.\\w$])lab\\s*\\.\\s*([A-Za-z_$][\\w$]*)\\s*\\(");
        for (auto calls = kCall.globalMatch(m_code); calls.hasNext();) {
            const auto call = calls.next();
            if (const auto problem = checkCall(call.captured(1), call.capturedStart(), call.capturedEnd()))
                return problem;
        }
        return std::nullopt;
    }

private:
    ScriptProblem problemAt(qsizetype at, const LabError& error) const
    {
        QString message = error.message;
        while (message.endsWith('.'))
            message.chop(1);
        return { int(m_source.left(at).count('\n')) + 1, message, error.hint };
    }

    // The parts between commas up to the closing bracket; empty if it is missing.
    std::optional<std::vector<Part>> partsFrom(qsizetype at) const
    {
        std::vector<Part> parts { { at, at } };
        for (int depth = 0; at < m_code.size(); ++at) {
            const QChar c = m_code[at];
            if (c == '(' || c == '[' || c == '{')
                ++depth;
            else if ((c == ')' || c == ']' || c == '}') && depth-- == 0)
                break;
            else if (c == ',' && depth == 0) {
                parts.back().to = at;
                parts.push_back({ at + 1, at + 1 });
            }
        }
        if (at == m_code.size())
            return std::nullopt;
        parts.back().to = at;
        for (Part& part : parts) {
            while (part.from < part.to && m_code[part.from].isSpace())
                ++part.from;
            while (part.to > part.from && m_code[part.to - 1].isSpace())
                --part.to;
        }
        if (parts.back().from == parts.back().to) // empty, or after a trailing comma
            parts.pop_back();
        return parts;
    }

    std::optional<ScriptProblem> checkCall(const QString& member, qsizetype begin, qsizetype inside)
    {
        const LabReference& reference = LabReference::instance();
        const CallReference* call = reference.find("lab." + member);
        if (call == nullptr) {
            if (const QString renamed = reference.renamed("lab." + member); !renamed.isEmpty())
                return problemAt(begin, { LabCode::BadArgument, renamed });
            QStringList known;
            for (const CallReference& other : reference.calls())
                if (other.object == "lab")
                    known << other.member;
            const QString near = nearestWord(member, known);
            return problemAt(begin,
                { LabCode::BadArgument, "lab." + member + " does not exist",
                    near.isEmpty() ? QString() : "Did you mean lab." + near + "?" });
        }
        const auto arguments = partsFrom(inside);
        if (call->options.empty() || !arguments || arguments->empty() || m_code[arguments->back().from] != '{')
            return std::nullopt;
        const std::size_t place = arguments->size() - 1; // an argument may itself be an object
        if (place < call->arguments.size()
            && QStringList { "object", "where", "any" }.contains(call->arguments[place].type))
            return std::nullopt;
        const auto entries = partsFrom(arguments->back().from + 1);
        for (const Part& entry : entries.value_or(std::vector<Part>()))
            if (const auto problem = checkOption(*call, entry))
                return problem;
        return std::nullopt;
    }

    std::optional<ScriptProblem> checkOption(const CallReference& call, const Part& entry)
    {
        static const QRegularExpression kName("^['\"]?([A-Za-z_$][\\w$]*)['\"]?\\s*(:|\\(|$)");
        const QString text = m_source.mid(entry.from, entry.to - entry.from);
        const auto name = kName.match(text);
        if (!name.hasMatch()) // ...others, or a computed name
            return std::nullopt;
        QStringList known;
        for (const ParameterReference& option : call.options) {
            known << option.name;
            if (option.name != name.captured(1))
                continue;
            if (name.captured(2) != ":")
                return std::nullopt;
            const auto value = literal(text.mid(name.capturedEnd()).trimmed());
            const auto wrong = value ? LabReference::instance().objection(call, option, *value, m_engine)
                                     : std::nullopt;
            return wrong ? std::optional(problemAt(entry.from, *wrong)) : std::nullopt;
        }
        const QString near = nearestWord(name.captured(1), known);
        return problemAt(entry.from,
            { LabCode::BadArgument, call.name + " has no option " + name.captured(1),
                near.isEmpty() ? "Its options are " + known.join(", ") + "." : "Did you mean " + near + "?" });
    }

    // The value of a literal string, number or word; empty if it is computed.
    std::optional<QJSValue> literal(const QString& text)
    {
        static const QRegularExpression kLiteral("^(-?(?:\\d[\\d_]*\\.?\\d*|\\.\\d+|Infinity)(?:e[+-]?\\d+)?|NaN|true|"
                                                 "false|'[^'\\\\\\n]*'|\"[^\"\\\\\\n]*\")$");
        if (!kLiteral.match(text).hasMatch())
            return std::nullopt;
        const QJSValue value = m_engine.evaluate('(' + text + ')');
        return value.isError() ? std::nullopt : std::optional(value);
    }

    const QString& m_source;
    const QString m_code;
    QJSEngine m_engine;
};

} // namespace

std::optional<ScriptProblem> checkCalls(const QString& source) { return CallCheck(source).first(); }

} // namespace lhrs::gui
