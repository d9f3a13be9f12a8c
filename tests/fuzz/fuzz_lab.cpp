// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of every function of `lab`, as a hostile script may choose them.
#include "gui/lab/calls/lab_reference.h"
#include "gui/lab/script/script_engine.h"
#include "gui/lab/local/session.h"
#include "tests/fuzz/targets.h"

#include <QString>

#include <iterator>

namespace lhrs::fuzz {

namespace {

using namespace std::chrono_literals;

constexpr auto kLimit = 60ms; // for a script: some calls wait, and some get endless loops
constexpr std::size_t kCallsInTurn = 5;
constexpr auto kPatience = 120s; // limit for the engine to report its end

// Values that a script can create. `mine` marks an error that the script itself throws.
const char* const kValues[] = { "undefined", "null", "true", "false", "0", "-0", "1", "-1", "2.5", "7", "100",
    "4294967295", "4294967296", "9007199254740993", "-9007199254740993", "1e308", "NaN", "Infinity", "-Infinity", "''",
    "'a'", "'data 0'", "'data 4294967296'", "'parity 0.0'", "'group 1'", "'bucket -1'", "'18446744073709551615'",
    "'18446744073709551616'", "'coordinator'", "'c'", "'<b>&amp;</b>'", "'\\u0000\\ud800'", "'x'.repeat(70000)", "[]",
    "[1, 2, 3]", "['a', {}]", "[[[[]]]]", "new Array(4294967295)", "new Array(5)", "{}", "{ a: 1 }",
    "{ length: 4294967295 }", "{ length: -1, 0: 1 }", "{ toString() { throw mine; } }", "{ valueOf() { throw mine; } }",
    "{ get a() { throw mine; } }", "Object.create(null)", "cycle", "deep", "() => 1", "() => ({ a: 1 })",
    "() => { throw mine; }", "() => { for (;;); }", "function f() { return f; }", "Symbol('s')",
    "new Proxy({}, { get() { throw mine; }, ownKeys() { throw mine; } })",
    "new Proxy([], { get(t, n) { return n === 'length' ? 1e9 : 1; } })", "new Map([[1, 2]])", "/a/", "new Error('e')",
    "lab", "lab.print", "Object.freeze([1])", "new Uint8Array(3)", "{ data: 2, parity: -1 }", "{ min: 2, max: 1 }" };

const std::vector<const gui::CallReference*>& calls()
{
    static const std::vector<const gui::CallReference*> kCalls = [] {
        std::vector<const gui::CallReference*> found;
        for (const gui::CallReference& call : gui::LabReference::instance().calls())
            if (call.object == "lab")
                found.push_back(&call);
        return found;
    }();
    return kCalls;
}

// Takes the input byte by byte, with zeros after its end.
class Bytes {
public:
    explicit Bytes(std::string_view bytes) : m_rest(bytes) { }
    std::size_t below(std::size_t bound)
    {
        if (m_rest.empty())
            return 0;
        const std::size_t drawn = std::uint8_t(m_rest.front()) % bound;
        m_rest.remove_prefix(1);
        return drawn;
    }

private:
    std::string_view m_rest;
};

QString callOf(const gui::CallReference& call, Bytes& bytes)
{
    if (call.isProperty)
        return call.name;
    QStringList arguments;
    const auto value = [&bytes] { return QString(kValues[bytes.below(std::size(kValues))]); };
    // Mostly a permitted number of arguments and existing options; sometimes others.
    const std::size_t shape = bytes.below(8);
    const std::size_t positional = shape == 0 ? bytes.below(6) : call.arguments.size();
    for (std::size_t i = 0; i < positional; ++i)
        arguments << value();
    if (!call.options.empty() && shape > 1) {
        QStringList options;
        for (std::size_t i = bytes.below(4) + 1; i > 0; --i)
            options << "'" + call.options[bytes.below(call.options.size())].name + "': " + value();
        if (shape == 2)
            options << "unheardOf: 1";
        arguments << "{ " + options.join(", ") + " }";
    }
    return call.name + "(" + arguments.join(", ") + ")";
}

// Several calls in turn; the first byte selects the first call. Each further byte decides something: how many
// arguments, which value. Every refusal must be a LabError with a sentence. No other exception may leave a call, and
// the script must end.
void runLab(std::string_view input)
{
    static gui::Session session;
    static gui::ScriptObserver nobody;
    Bytes bytes(input);
    QString script = "'use strict';\nconst mine = { isMine: true };\nconst cycle = {}; cycle.cycle = cycle;\n"
                     "let deep = []; for (let i = 0; i < 3000; ++i) deep = [deep];\n"
                     "const attempt = f => { try { f(); } catch (e) {\n"
                     "  if (e === mine) return;\n"
                     "  if (!e || e.name !== 'LabError' || typeof e.message !== 'string' || e.message === '' || typeof "
                     "e.code !== 'string') throw e;\n"
                     "} };\n";
    const std::size_t first = bytes.below(calls().size());
    for (std::size_t i = 0; i < kCallsInTurn; ++i)
        script += "attempt(() => " + callOf(*calls()[(first + i) % calls().size()], bytes) + ");\n";
    gui::ScriptEngine engine(session, nobody);
    gui::ScriptSettings settings;
    settings.mayStartCluster = false;
    settings.keepGoing = true;
    settings.limit = kLimit;
    engine.start(script, "fuzz.js", settings);
    if (!engine.wait(kPatience)) {
        std::fprintf(stderr, "does not end:\n%s\n", qPrintable(script));
        LHRS_CHECK(false);
    }
    const gui::ScriptResult result = engine.result();
    const bool isFine = result.isLimitReached || result.outcome != gui::ScriptOutcome::ScriptError
        || !result.code.isEmpty();
    if (!isFine) {
        std::fprintf(stderr, "%s\n%s\n", qPrintable(result.sentence()), qPrintable(script));
        LHRS_CHECK(false);
    }
}

std::vector<std::string> labSeeds()
{
    std::vector<std::string> seeds { "" };
    Generator draws(1, DrawnFor::Workload);
    for (std::size_t call = 0; call < calls().size(); call += 3) { // each of them, with random values
        std::string seed(1, char(call));
        for (int i = 0; i < 30; ++i)
            seed.push_back(char(draws.next()));
        seeds.push_back(seed);
    }
    return seeds;
}

} // namespace

Target labTarget() { return { "lab", "arguments of every function of lab", &runLab, &labSeeds, &mutateBytes, 60 }; }

} // namespace lhrs::fuzz
