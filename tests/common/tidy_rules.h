// SPDX-License-Identifier: GPL-3.0-or-later
// The house rules of the tree as functions over (path, text). No file is opened here, so a few lines in memory are
// enough to show that a rule detects a violation. A finding is "path:line: what is wrong and what to do".
#pragma once

#include "tests/common/tidy_rooms.h"

namespace lhrs::tidy {

// ---- the core and the checkers: deterministic everywhere

inline QStringList worldInsideCore(const File& file)
{
    static const QList<QPair<QString, QString>> kWorld {
        { uR"re(\b(steady_clock|system_clock|high_resolution_clock|clock_gettime|gettimeofday|std::time)\b)re"_s,
            u"a clock (%1): time is an argument here"_s },
        { uR"re(\bstd::(j?thread|\w*mutex|\w+_lock|lock_guard|condition_variable|atomic\w*|async|future)\b)re"_s,
            u"a thread or a lock (%1): the driver has them"_s },
        { uR"re(\bthread_local\b|\bpthread_\w+)re"_s, u"a thread or a lock (%1): the driver has them"_s },
        { uR"re(\b(socket|sendto|recvfrom|sendmsg|recvmsg|sendmmsg|recvmmsg)[ ]*\(|\bzmq::)re"_s,
            u"a socket (%1): what is to be sent is an Effect"_s },
        { uR"re(\bspdlog::|\bstd::(cout|cerr|clog|[io]?fstream)\b|\bf?printf[ ]*\(|\bf?puts[ ]*\()re"_s,
            u"a log or a file (%1): what happened is an event"_s },
        { uR"re(\b(random_device|mt19937\w*|default_random_engine|\w+_distribution|getrandom|random_shuffle)\b)re"_s,
            u"randomness (%1): a seed is an argument"_s },
        { uR"re(\bs?rand[ ]*\()re"_s, u"randomness (%1): a seed is an argument"_s },
        { uR"re(\bunordered_\w+|\bstd::hash\b)re"_s,
            u"%1: ordered containers only, so that a run is the same everywhere"_s },
        { uR"re(#[ \t]*include[ \t]*<(ctime|atomic|stop_token|random|unordered_\w+|iostream|fstream)>)re"_s,
            u"%1 brings the world into the core"_s },
    };
    if (!isCpp(file.path) || !(isOfTheCore(file.path) || file.path.startsWith("common/check/"_L1)))
        return {};
    QStringList found;
    const QString code = codeOf(file.text);
    for (const auto& [expression, what] : kWorld)
        found << everywhere(file, code, expression, what);
    return found;
}

// ---- one file at a time

inline QStringList gfCompleteAway(const File& file)
{
    if (!isCpp(file.path) || file.path == "common/field/galois_gf_complete.cpp"_L1)
        return {};
    return everywhere(file, file.text, uR"re(^[ \t]*#[ \t]*include[ \t]*[<"]gf_\w+\.h)re"_s,
        u"gf-complete is included in common/field/galois_gf_complete.cpp only"_s);
}

// Exceptions stay inside the file that catches them.
inline QStringList throwWithoutCatch(const File& file)
{
    const QString code = isCpp(file.path) ? codeOf(file.text) : QString();
    if (code.contains(pattern(uR"re(\bcatch[ ]*\()re"_s)))
        return {};
    return everywhere(file, code, uR"re(\bthrow\b)re"_s, u"throw in a file that does not catch: return a Result"_s);
}

inline QStringList headerWithoutPragmaOnce(const File& file)
{
    if (!file.path.endsWith(".h"_L1) || codeOf(file.text).contains(pattern(u"^#pragma once$"_s)))
        return {};
    return { finding(file, 0, u"a header needs #pragma once"_s) };
}

// Files that carry the licence in their first line (a script has its interpreter there, so it carries the licence in
// the second).
inline bool isSource(const QString& path)
{
    return path.contains(pattern(uR"re(\.(cpp|h|proto|js|py|sh)$|(^|/)CMakeLists\.txt$|(^|/)run$)re"_s));
}

inline QStringList withoutLicence(const File& file)
{
    const QString head = file.text.section(u'\n', 0, 1);
    if (!isSource(file.path) || head.contains("SPDX-License-Identifier: GPL-3.0-or-later"_L1))
        return {};
    return { finding(file, 0, u"the first line is to be SPDX-License-Identifier: GPL-3.0-or-later"_s) };
}

inline QStringList tooLong(const File& file)
{
    constexpr int kLinesMax = 700;
    const auto lines = file.text.count(u'\n');
    if (!isSource(file.path) || lines <= kLinesMax)
        return {};
    return { finding(file, 0, u"%1 lines; a file has one job and at most %2 lines"_s.arg(lines).arg(kLinesMax)) };
}

// Lines that a reader has to scroll sideways. (clang-format leaves a raw string as it is.)
inline QStringList tooWide(const File& file)
{
    if (!isCpp(file.path))
        return {};
    return everywhere(file, file.text, u"^.{121,}$"_s, u"more than 120 columns: %1"_s);
}

// Text that is not finished, belongs to one machine, waits for a time, or uses another system's words. (The words are
// written in two parts, because this file is checked too.)
inline QStringList leftovers(const File& file)
{
    static const QString kUnfinished = u"\\b(TO"_s + u"DO|FIX"_s + u"ME|XX"_s + u"X|HA"_s + u"CK)\\b"_s;
    static const QString kMachine = u"(?<![\\w.])/(wor"_s + u"k|hom"_s + u"e|roo"_s + u"t|User"_s + u"s|tmp/buil"_s
        + u"d)[/-][\\w.-]"_s;
    QStringList found = everywhere(file, file.text, kUnfinished, u"%1: finish it, or open an issue"_s);
    found << everywhere(file, file.text, kMachine, u"%1...: a path of one machine"_s);
    if (!isCpp(file.path))
        return found;
    const QString code = codeOf(file.text);
    // A test may poll every few milliseconds where the condition that it waits for sends no notification.
    const QString step = file.path.startsWith("tests/"_L1) ? u"(?! *\\((1|2|5|10)ms\\))"_s : QString();
    found << everywhere(file, code,
        u"\\b(sleep_for|sleep_until|usleep|nanosleep|qSleep|qWait|QThread::[mu]?sleep)"_s + step + u" *\\("_s,
        u"%1: wait for a condition, not for a time"_s);
    found << everywhere(
        file, code, uR"re(\b\w*(?i:shard|stripe|replica(?!te)|slave)\w*)re"_s, u"%1: the words are the papers'"_s);
    if (file.path.startsWith("tests/"_L1) && file.path != "tests/rigs/lab/signals.h"_L1)
        found << everywhere(file, code, u"(?<!\\w)::kill *\\("_s,
            u"%1: signalOne of tests/rigs/lab/signals.h, which takes no process group for a process"_s);
    return found;
}

// ---- the tree as a whole

inline const File* fileNamed(const QList<File>& files, const QString& path)
{
    const auto at = std::find_if(files.begin(), files.end(), [&](const File& file) { return file.path == path; });
    return at == files.end() ? nullptr : &*at;
}

// The files that the CMakeLists.txt of the tree name. lhrs_test(NAME ...) names tst_NAME.cpp; foreach(role ...) with
// main_${role}.cpp names the mains, and so does foreach(program ...).
inline QSet<QString> filesNamedByCMake(const QList<File>& files)
{
    static const QRegularExpression kFile = pattern(uR"re([\w./-]*\w\.(?:cpp|h|proto)\b)re"_s);
    static const QRegularExpression kTest = pattern(uR"re(\blhrs_test\(\s*(\w+))re"_s);
    static const QRegularExpression kRoles = pattern(uR"re(\bforeach\((?:role|program) ([^)]*)\))re"_s);
    QSet<QString> named;
    for (const File& cmake : files) {
        if (cmake.path != "CMakeLists.txt"_L1 && !cmake.path.endsWith("/CMakeLists.txt"_L1))
            continue;
        const auto add = [&](const QString& name) {
            named.insert(QDir::cleanPath(cmake.path.chopped(QStringLiteral("CMakeLists.txt").size()) + name));
        };
        for (auto matches = kFile.globalMatch(cmake.text); matches.hasNext();)
            add(matches.next().captured());
        for (auto matches = kTest.globalMatch(cmake.text); matches.hasNext();)
            add(u"tst_%1.cpp"_s.arg(matches.next().captured(1)));
        if (cmake.text.contains("main_${role}.cpp"_L1) || cmake.text.contains("main_${program}.cpp"_L1))
            for (const QString& role : kRoles.match(cmake.text).captured(1).split(u' ', Qt::SkipEmptyParts))
                add(u"main_%1.cpp"_s.arg(role));
    }
    return named;
}

// Two sources or headers of one name: whoever hears or searches the name has to guess which of them is meant.
inline QStringList namesGivenTwice(const QList<File>& files)
{
    QHash<QString, QString> paths; // by name
    QStringList found;
    for (const File& file : files) {
        const QString name = file.path.section(u'/', -1);
        if (!isCpp(file.path))
            continue;
        if (const auto other = paths.constFind(name); other != paths.constEnd())
            found << finding(file, 0, u"%1 has the same name"_s.arg(*other));
        else
            paths.insert(name, file.path);
    }
    return found;
}

// Sources and headers that no CMakeLists.txt names. A header of tests only has to be included by some file.
inline QStringList namedByNoCMakeLists(const QList<File>& files)
{
    const QSet<QString> named = filesNamedByCMake(files);
    QStringList found;
    for (const File& file : files) {
        if ((!isCpp(file.path) && !file.path.endsWith(".proto"_L1)) || named.contains(file.path))
            continue;
        const QString include = u"#include \"%1\""_s.arg(file.path);
        const bool isIncluded = std::any_of(
            files.begin(), files.end(), [&](const File& other) { return other.text.contains(include); });
        if (!isIncluded || !file.path.startsWith("tests/"_L1) || !file.path.endsWith(".h"_L1))
            found << finding(file, 0, u"no CMakeLists.txt names this file"_s);
    }
    return found;
}

// The part of a proto file that defines a message with a body of its own, WalkEvent; for rules that are about that one.
inline File partOf(const File& proto, const QString& message)
{
    const QString body
        = pattern(uR"re(^message %1 \{\n  oneof body \{[^}]*\}\n)re"_s.arg(message)).match(proto.text).captured();
    QString rest = proto.text;
    return { proto.path, body + rest.remove(pattern(uR"re(oneof body \{[^}]*\})re"_s)) };
}

// Name and type of each body that a message of message.proto or event.proto may have: (insert, KeyRequest).
inline QList<QPair<QString, QString>> bodiesOf(const File& proto)
{
    static const QRegularExpression kOneof = pattern(uR"re(oneof body \{([^}]*)\})re"_s);
    static const QRegularExpression kField = pattern(uR"re((\w+)\s+(\w+)\s*=\s*\d+\s*(?:\[[^\]]*\])?;)re"_s);
    QList<QPair<QString, QString>> bodies;
    const QString oneof = kOneof.match(proto.text).captured(1);
    for (auto matches = kField.globalMatch(oneof); matches.hasNext();) {
        const auto match = matches.next();
        bodies.append({ match.captured(2), match.captured(1) });
    }
    return bodies;
}

// where_is -> WhereIs
inline QString pascal(const QString& field)
{
    QString name;
    for (const QString& word : field.split(u'_'))
        name += word.left(1).toUpper() + word.mid(1);
    return name;
}

// The comment right above a message, without its slashes.
inline QString sentenceAbove(const File& proto, const QString& message)
{
    const auto match = pattern(uR"re(((?:^// .*\n)+)message %1 \{)re"_s.arg(message)).match(proto.text);
    return match.captured(1).remove(pattern(u"^// "_s)).simplified();
}

// A comment that ends with a full stop stands right above each message that is sent.
inline QStringList messagesWithoutSentence(const File& proto)
{
    QStringList found;
    for (const auto& [field, type] : bodiesOf(proto)) {
        const auto at = proto.text.indexOf(u"message %1 {"_s.arg(type));
        if (!sentenceAbove(proto, type).contains(pattern(uR"re([.?!]"?$)re"_s)))
            found << finding(proto, at, u"%1 has no sentence above it"_s.arg(type));
    }
    return found;
}

// The tables of proto/README.md say of each event and command what its proto file says.
inline QStringList messagesOutOfReadme(const File& proto, const File& readme)
{
    QStringList found;
    for (const auto& [field, type] : bodiesOf(proto)) {
        const auto row = pattern(uR"re(^\| `%1` \|.*$)re"_s.arg(field)).match(readme.text);
        if (!row.captured().contains(u"| %1 |"_s.arg(sentenceAbove(proto, type))))
            found << finding(readme, row.capturedStart(), u"no row says of `%1` what its proto file does"_s.arg(field));
    }
    return found;
}

// The handler of a message is on<Name>. Exception: acknowledgements with a body go to the handler that waits for the
// acknowledged message.
inline QString handlerOf(const QString& field)
{
    const bool isAcknowledgement = field == "epoch_ack"_L1 || field == "applied"_L1;
    return isAcknowledgement ? u"onAcknowledged"_s : u"on"_s + pascal(field);
}

// `rooms`: where the machines of the system are.
inline QStringList messagesWithoutHandler(const File& proto, const QList<File>& files, const QString& rooms)
{
    QString core;
    for (const File& file : files)
        if ((file.path.startsWith(rooms) || file.path.startsWith("node/machine/"_L1)) && file.path.endsWith(".cpp"_L1))
            core += codeOf(file.text);
    QStringList found;
    for (const auto& [field, type] : bodiesOf(proto)) {
        const QString handler = handlerOf(field);
        const auto at = proto.text.indexOf(u"%1 %2 ="_s.arg(type, field));
        if (!core.contains(u"::%1("_s.arg(handler)))
            found << finding(proto, at, u"no %1 in the rooms of the machines"_s.arg(handler));
    }
    return found;
}

// The sections of a system's PROTOCOL.md, in the order of its proto file.
inline QStringList messagesWithoutSection(const File& proto, const File& protocol)
{
    QStringList found;
    qsizetype last = -1;
    for (const auto& [field, type] : bodiesOf(proto)) {
        const QString name = pascal(field);
        const auto match = pattern(u"^#+ %1$"_s.arg(name)).match(protocol.text);
        if (!match.hasMatch())
            found << finding(protocol, 0, u"no section \"%1\""_s.arg(name));
        else if (match.capturedStart() < last)
            found << finding(
                protocol, match.capturedStart(), u"\"%1\" is not in the order of the proto file"_s.arg(name));
        last = std::max(last, match.capturedStart());
    }
    return found;
}

// "See "NAME" in node/lhrs/PROTOCOL.md" names an existing heading.
inline QStringList notesThatAreMissing(const QList<File>& files, const File& protocol)
{
    static const QRegularExpression kNote = pattern(uR"re(See "([^"]+)" in(?:\s|//|#)+node/lhrs/PROTOCOL\.md)re"_s);
    QStringList found;
    for (const File& file : files) {
        if (!isSource(file.path) || file.path.startsWith("tests/"_L1))
            continue;
        for (auto matches = kNote.globalMatch(file.text); matches.hasNext();) {
            const auto match = matches.next();
            const QString heading = u"^#+ %1$"_s.arg(QRegularExpression::escape(match.captured(1)));
            if (!protocol.text.contains(pattern(heading)))
                found << finding(file, match.capturedStart(), u"PROTOCOL.md: no note \"%1\""_s.arg(match.captured(1)));
        }
    }
    return found;
}

// Documents that are cited are in the tree: from the root, or beside the file that cites them; and so is the heading of
// "#section".
inline QStringList documentsThatAreMissing(const QList<File>& files)
{
    static const QRegularExpression kDocument = pattern(uR"re((?<![\w/.-])([\w.][\w./-]*\.md)\b(?:#([\w-]+))?)re"_s);
    const auto anchorsOf = [](const QString& text) {
        QStringList anchors;
        for (auto matches = pattern(u"^#+ (.*)$"_s).globalMatch(text); matches.hasNext();)
            anchors << matches.next().captured(1).toLower().remove(pattern(u"[^\\w -]"_s)).replace(u' ', u'-');
        return anchors;
    };
    QStringList found;
    for (const File& file : files) {
        if (file.path == "tests/common/tst_tidy.cpp"_L1 || file.path == "tests/common/tidy_rules.h"_L1)
            continue; // examples
        for (auto matches = kDocument.globalMatch(file.text); matches.hasNext();) {
            const auto match = matches.next();
            // Names in code are data; in Python they are put together of parts.
            const QString before = file.text.left(match.capturedStart()).section(u'\n', -1);
            if ((isCpp(file.path) && !before.contains("//"_L1))
                || (file.path.endsWith(".py"_L1) && !match.captured(1).contains(u'/')))
                continue;
            const QString beside = QDir::cleanPath(file.path.section(u'/', 0, -2) + u'/' + match.captured(1));
            const File* document = fileNamed(files, QDir::cleanPath(match.captured(1)));
            if (document == nullptr)
                document = fileNamed(files, beside.startsWith(u'/') ? beside.mid(1) : beside);
            if (document == nullptr)
                found << finding(file, match.capturedStart(), u"%1 is not in the tree"_s.arg(match.captured(1)));
            else if (!match.captured(2).isEmpty() && !anchorsOf(document->text).contains(match.captured(2)))
                found << finding(
                    file, match.capturedStart(), u"%1 has no section %2"_s.arg(match.captured(1), match.captured(2)));
        }
    }
    return found;
}

// Functions that the document names as `Class::function` are in its rooms.
inline QStringList functionsThatAreGone(const File& document, const QList<File>& files)
{
    static const QRegularExpression kFunction = pattern(uR"re(\b([A-Z]\w+)::(\w+)`)re"_s);
    QString core;
    for (const File& file : files)
        if (isOfTheCore(file.path))
            core += file.text;
    QStringList found;
    for (auto matches = kFunction.globalMatch(document.text); matches.hasNext();) {
        const auto match = matches.next();
        const QString name = match.captured(2);
        if (!core.contains(pattern(u"\\b%1\\b"_s.arg(name))))
            found << finding(
                document, match.capturedStart(), u"there is no %1 in the rooms of the machines"_s.arg(name));
    }
    return found;
}

// The code of the product uses what is listed, and lists what it uses; `use` captures a name.
inline QStringList outOfStep(const QList<File>& files, const File& list, const QStringList& listed,
    const QRegularExpression& use, const QString& isUnused)
{
    QStringList used, found;
    for (const File& file : files) {
        const QString code = isCpp(file.path) && !file.path.startsWith("tests/"_L1) ? codeOf(file.text) : QString();
        for (auto matches = use.globalMatch(code); matches.hasNext();) {
            const auto match = matches.next();
            used << match.captured(1);
            if (!listed.contains(match.captured(1)))
                found << finding(file, match.capturedStart(), u"%1 is not in %2"_s.arg(match.captured(1), list.path));
        }
    }
    for (const QString& name : listed)
        if (!used.contains(name))
            found << finding(list, list.text.indexOf(name), isUnused.arg(name));
    return found;
}

// Failpoints are in the list of their system and in the protocol's code, or in neither.
inline QStringList failpointsOutOfStep(const QList<File>& files)
{
    static const QRegularExpression kList(
        uR"re(enum class Failpoint[^;{]*\{(.*?)\};)re"_s, QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression kUse = pattern(uR"re(\bfires\(Failpoint::([A-Z]\w*)\))re"_s);
    const File* list = fileNamed(files, u"common/lhrs/failpoint_list.h"_s);
    if (list == nullptr)
        return {};
    const QStringList listed = QString(codeOf(kList.match(list->text).captured(1)))
                                   .split(pattern(u"[\\s,]+"_s), Qt::SkipEmptyParts);
    return outOfStep(files, *list, listed, kUse, u"no code can fire failpoint %1"_s);
}

// Mutants are in tests/mutants.txt and in the product's code, or in neither.
inline QStringList mutantsOutOfStep(const QList<File>& files)
{
    static const QRegularExpression kEntry = pattern(uR"re(^(\w+): )re"_s);
    static const QRegularExpression kUse = pattern(uR"re(\bLHRS_MUTANT\(\s*([A-Z]\w*)\s*\))re"_s);
    const File* list = fileNamed(files, u"tests/mutants.txt"_s);
    if (list == nullptr)
        return {};
    QStringList listed;
    for (auto matches = kEntry.globalMatch(list->text); matches.hasNext();)
        listed << matches.next().captured(1);
    return outOfStep(files, *list, listed, kUse, u"no code can switch to mutant %1"_s);
}

} // namespace lhrs::tidy
