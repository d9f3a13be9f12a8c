// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/script/script_words.h"

#include "gui/lab/calls/lab_reference.h"
#include "gui/lab/tables/near_word.h"

#include <QRegularExpression>
#include <QSet>

#include <algorithm>

namespace lhrs::gui {

namespace {

// States between lines. For code inside ${ } of a template: kInTemplate plus the number of open braces.
constexpr int kCode = 0, kInComment = 1, kTemplate = 2, kInTemplate = 3;

const QSet<QString>& keywords()
{
    static const QSet<QString> kWords { "break", "case", "catch", "class", "const", "continue", "default", "delete",
        "do", "else", "extends", "false", "finally", "for", "function", "if", "in", "instanceof", "let", "new", "null",
        "of", "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var",
        "void", "while", "yield", "NaN", "Infinity" };
    return kWords;
}

// Methods of objects that lab returns: insert, verify, stop, reveal.
const QSet<QString>& memberCalls()
{
    static const QSet<QString> kMembers = [] {
        QSet<QString> members;
        for (const CallReference& call : LabReference::instance().calls())
            if (call.object != "lab" && !call.isProperty)
                members.insert(call.member);
        return members;
    }();
    return kMembers;
}

bool isNameStart(QChar c) { return c.isLetter() || c == '_' || c == '$'; }
bool isNamePart(QChar c) { return c.isLetterOrNumber() || c == '_' || c == '$'; }

qsizetype nameEnd(QStringView line, qsizetype at)
{
    while (at < line.size() && isNamePart(line[at]))
        ++at;
    return at;
}

qsizetype afterSpace(QStringView line, qsizetype at)
{
    while (at < line.size() && line[at].isSpace())
        ++at;
    return at;
}

// Divides one line into words.
class Splitter {
public:
    Splitter(QStringView line, int state) : m_line(line), m_state(state) { }

    std::vector<ScriptWord> words()
    {
        while (m_at < m_line.size())
            next();
        return std::move(m_words);
    }
    int state() const { return m_state; }

private:
    void next()
    {
        if (m_state == kInComment) {
            const qsizetype end = m_line.indexOf(u"*/", m_at);
            take(end < 0 ? m_line.size() : end + 2, ScriptWordKind::Comment);
            m_state = end < 0 ? kInComment : m_resume;
        } else if (m_state == kTemplate) {
            inTemplate();
        } else {
            code();
        }
    }

    void inTemplate()
    {
        qsizetype at = m_at;
        while (at < m_line.size() && m_line[at] != '`' && m_line.mid(at, 2) != u"${")
            at += m_line[at] == '\\' ? 2 : 1;
        if (at >= m_line.size()) {
            take(m_line.size(), ScriptWordKind::String);
        } else if (m_line[at] == '`') {
            take(at + 1, ScriptWordKind::String);
            m_state = kCode;
            m_last = '`';
        } else {
            take(at + 2, ScriptWordKind::String);
            m_state = kInTemplate;
            m_last = '{';
        }
    }

    void code()
    {
        const QChar c = m_line[m_at];
        if (c.isSpace()) {
            ++m_at;
        } else if (m_line.mid(m_at, 2) == u"//") {
            take(m_line.size(), ScriptWordKind::Comment);
        } else if (m_line.mid(m_at, 2) == u"/*") {
            m_resume = m_state;
            const qsizetype end = m_line.indexOf(u"*/", m_at + 2);
            take(end < 0 ? m_line.size() : end + 2, ScriptWordKind::Comment);
            m_state = end < 0 ? kInComment : m_resume;
        } else if (c == '\'' || c == '"') {
            quoted(c);
        } else if (c == '`') {
            openTemplate();
        } else if (c.isDigit() || (c == '.' && m_at + 1 < m_line.size() && m_line[m_at + 1].isDigit())) {
            number();
        } else if (isNameStart(c)) {
            name();
        } else if (c == '/' && beginsExpression() && regularExpression()) {
        } else {
            if (m_state >= kInTemplate && c == '{')
                ++m_state;
            if (m_state >= kInTemplate && c == '}' && --m_state < kInTemplate) {
                m_state = kTemplate;
                const qsizetype from = m_at++;
                inTemplate();
                m_words.back().length += m_words.back().at - from;
                m_words.back().at = from;
                return;
            }
            m_last = c;
            ++m_at;
        }
    }

    void quoted(QChar quote)
    {
        qsizetype at = m_at + 1;
        while (at < m_line.size() && m_line[at] != quote)
            at += m_line[at] == '\\' ? 2 : 1;
        take(std::min(at + 1, m_line.size()), ScriptWordKind::String);
        m_last = quote;
    }

    void openTemplate()
    {
        if (m_state == kCode) {
            m_state = kTemplate;
            const qsizetype from = m_at++;
            inTemplate();
            m_words.back().length += m_words.back().at - from; // a single piece together with its first character
            m_words.back().at = from;
            return;
        }
        // A template nested in the code of a template is one piece, up to its end in this line.
        const qsizetype end = m_line.indexOf(u'`', m_at + 1);
        take(end < 0 ? m_line.size() : end + 1, ScriptWordKind::String);
        m_last = '`';
    }

    void number()
    {
        qsizetype at = m_at;
        while (at < m_line.size()
            && (isNamePart(m_line[at]) || m_line[at] == '.'
                || ((m_line[at] == '-' || m_line[at] == '+') && m_line[at - 1].toLower() == 'e'
                    && m_line.mid(m_at, 2) != u"0x")))
            ++at;
        take(std::max(at, m_at + 1), ScriptWordKind::Number);
        m_last = '0';
    }

    void name()
    {
        const qsizetype end = nameEnd(m_line, m_at);
        const QString word = m_line.mid(m_at, end - m_at).toString();
        const bool isMember = m_last == '.';
        const qsizetype behind = afterSpace(m_line, end);
        const bool isName = (m_last == '{' || m_last == ',') && behind < m_line.size()
            && m_line[behind] == ':'; // { do: 'insert' }
        m_last = 'a';
        if (isMember) {
            if (memberCalls().contains(word) && behind < m_line.size() && m_line[behind] == '(')
                take(end, ScriptWordKind::Call);
            m_at = end;
            return;
        }
        if (word == "lab") {
            const qsizetype from = behind < m_line.size() && m_line[behind] == '.' ? afterSpace(m_line, behind + 1)
                                                                                   : m_line.size();
            if (from < m_line.size() && isNameStart(m_line[from])) {
                const qsizetype memberEnd = nameEnd(m_line, from);
                const CallReference* call = LabReference::instance().find(
                    "lab." + m_line.mid(from, memberEnd - from).toString());
                take(memberEnd,
                    call == nullptr           ? ScriptWordKind::UnknownCall
                        : call->isUnsupported ? ScriptWordKind::LaterCall
                                              : ScriptWordKind::Call);
                return;
            }
            m_at = end; // lab alone is not a call
            return;
        }
        if (!isName && keywords().contains(word)) {
            take(end, ScriptWordKind::Keyword);
            m_last = word == "this" || word == "super" || word == "true" || word == "false" || word == "null"
                ? QChar('a')
                : QChar('=');
        }
        m_at = end;
    }

    // A slash begins a regular expression where a value is expected; otherwise it divides.
    bool beginsExpression() const { return m_last.isNull() || QStringView(u"(,=:[!&|?{};+-*%<>~^").contains(m_last); }

    bool regularExpression()
    {
        bool isClass = false;
        for (qsizetype at = m_at + 1; at < m_line.size(); ++at) {
            const QChar c = m_line[at];
            if (c == '\\')
                ++at;
            else if (c == '[' || c == ']')
                isClass = c == '[';
            else if (c == '/' && !isClass) {
                take(nameEnd(m_line, at + 1), ScriptWordKind::String);
                m_last = '`';
                return true;
            }
        }
        return false;
    }

    void take(qsizetype end, ScriptWordKind kind)
    {
        m_words.push_back({ m_at, std::min(end, m_line.size()) - m_at, kind });
        m_at = end;
    }

    QStringView m_line;
    int m_state;
    int m_resume = kCode; // state after a comment
    qsizetype m_at = 0;
    QChar m_last; // the last character that is not a space or in a comment
    std::vector<ScriptWord> m_words;
};

// The kind of object that the name stands for according to its declaration: "client", "handle", "table", "question",
// "witness".
QString objectOf(const QString& name, const QString& source)
{
    static const std::pair<const char*, const char*> kMakers[] = { { "lab\\.client\\(", "client" },
        { "[\\w$.]+\\.start\\(", "handle" }, { "lab\\.measure\\(", "table" }, { "lab\\.predict\\(", "question" },
        { "lab\\.witness\\(", "witness" } };
    for (const auto& [maker, object] : kMakers)
        if (QRegularExpression("(^|[^\\w$.])" + QRegularExpression::escape(name) + "\\s*=\\s*" + maker)
                .match(source)
                .hasMatch())
            return object;
    return {};
}

QString parametersOf(const std::vector<ParameterReference>& parameters)
{
    QStringList names;
    for (const ParameterReference& parameter : parameters)
        names << parameter.name;
    return names.join(", ");
}

} // namespace

std::vector<ScriptWord> scriptWordsOf(QStringView line, int& state)
{
    Splitter splitter(line, state);
    auto words = splitter.words();
    state = splitter.state();
    return words;
}

std::vector<int> callLinesOf(const QString& source)
{
    std::vector<int> lines;
    int state = 0, number = 0;
    for (const QStringView line : QStringView(source).split(u'\n')) {
        ++number;
        const auto words = scriptWordsOf(line, state);
        if (std::any_of(words.begin(), words.end(), [](const ScriptWord& w) {
                return w.kind == ScriptWordKind::Call || w.kind == ScriptWordKind::LaterCall
                    || w.kind == ScriptWordKind::UnknownCall;
            }))
            lines.push_back(number);
    }
    return lines;
}

Completions completionsFor(const QString& line, const QString& source)
{
    static const QRegularExpression kMember("([A-Za-z_$][\\w$]*)\\s*\\.\\s*([A-Za-z_$][\\w$]*)?$");
    const auto member = kMember.match(line);
    if (!member.hasMatch())
        return {};
    const QString name = member.captured(1), begun = member.captured(2);
    const QString object = name == "lab" ? name : objectOf(name, source);
    Completions found { line.size() - begun.size(), {} };
    for (const CallReference& call : LabReference::instance().calls())
        if (call.object == object && !call.isUnsupported && call.member.startsWith(begun, Qt::CaseInsensitive))
            found.words << call.member;
    found.words.sort();
    if (found.words == QStringList { begun }) // already complete
        found.words.clear();
    return found;
}

QString callHelp(const QString& line, qsizetype at)
{
    static const QRegularExpression kCall(
        "(?<![\\w$.])lab\\s*\\.\\s*([A-Za-z_$][\\w$]*)|\\.\\s*([A-Za-z_$][\\w$]*)(?=\\s*\\()");
    for (auto calls = kCall.globalMatch(line); calls.hasNext();) {
        const auto match = calls.next();
        if (at < match.capturedStart() || at > match.capturedEnd())
            continue;
        const QString member = match.captured(1).isEmpty() ? match.captured(2) : match.captured(1);
        for (const CallReference& call : LabReference::instance().calls()) {
            if (call.member != member || (call.object == "lab") == match.captured(1).isEmpty())
                continue;
            QStringList parts { call.name + (call.isProperty ? QString() : "(" + parametersOf(call.arguments) + ")")
                + ": " + call.text };
            if (!call.options.empty())
                parts << "Options: " + parametersOf(call.options) + ".";
            if (!call.returns.isEmpty())
                parts << "Gives " + call.returns + ".";
            if (call.isUnsupported)
                parts << "This belongs to a later version.";
            if (!call.example.isEmpty())
                parts << "Example: " + call.example;
            return parts.join('\n');
        }
        if (match.captured(1).isEmpty())
            return {};
        if (const QString renamed = LabReference::instance().renamed("lab." + member); !renamed.isEmpty())
            return renamed + ".";
        QStringList known;
        for (const CallReference& call : LabReference::instance().calls())
            if (call.object == "lab" && !call.isUnsupported)
                known << call.member;
        const QString near = nearestWord(member, known);
        return "lab." + member + " does not exist." + (near.isEmpty() ? QString() : " Did you mean lab." + near + "?");
    }
    return {};
}

} // namespace lhrs::gui
