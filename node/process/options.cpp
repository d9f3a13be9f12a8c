// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/process/options.h"

#include "common/errors.h"
#include "common/field/galois.h"
#include "common/number_words.h"

#include <CLI/CLI.hpp>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <arpa/inet.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <type_traits>

namespace lhrs {

namespace {

// ---- words of the command line -> values; an Error is a whole sentence without the option's name

// Bytes, with K, M or G for powers of 1,024.
Result<std::uint64_t> parseSize(const std::string& text)
{
    constexpr std::string_view kUnits = "KMG";
    const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
    const unsigned shift = unit == std::string_view::npos ? 0 : 10 * unsigned(unit + 1);
    constexpr std::uint64_t kLeast = std::uint64_t(16) << 20, kMost = std::uint64_t(1) << 50;
    const auto number = readNumber<std::uint64_t>(shift == 0 ? text : text.substr(0, text.size() - 1), 1, kMost >> shift, "a number");
    if (!number || *number << shift < kLeast)
        return Error { fmt::format("\"{}\" is not a size from 16M to 1048576G; write for instance 512M or 2G", text) };
    return *number << shift;
}

Result<HostPort> parseHostPort(const std::string& text, bool needsPort)
{
    const std::size_t colon = text.rfind(':');
    const std::string host = text.substr(0, colon);
    HostPort parsed;
    in_addr address {};
    if (host != "localhost") {
        if (::inet_pton(AF_INET, host.c_str(), &address) != 1)
            return Error { fmt::format("\"{}\" is not an IPv4 address; write for instance 127.0.0.1:4000", host) };
        parsed.ip = ntohl(address.s_addr);
    }
    if (colon == std::string::npos) {
        if (needsPort)
            return Error { fmt::format("\"{}\" names no port; write for instance {}:4000", text, host) };
        return parsed;
    }
    const auto port = readNumber<std::uint16_t>(text.substr(colon + 1), needsPort ? 1 : 0, 65'535, "a port");
    if (!port)
        return port.error();
    parsed.port = *port;
    return parsed;
}

Error onlyLoopback(const std::string& text)
{
    return Error { fmt::format(
        "{} is not a loopback address; without keys, which come in a later version, everybody on that network could "
        "speak to this process; use 127.0.0.1",
        text) };
}

Result<HostPort> parseLoopback(const std::string& text, bool needsPort)
{
    auto parsed = parseHostPort(text, needsPort);
    if (parsed && parsed->ip >> 24 != 127)
        return onlyLoopback(text);
    return parsed;
}

// ---- options. CLI11 splits the line; words are checked here, so that each invalid word gets our own error sentence.

// Calls `take` with the option's word; an Error from it is reported with the option's name.
template <class Take>
CLI::Option* addOption(CLI::App& app, const std::string& names, const std::string& help, const std::string& type, Take take)
{
    auto* option = app.add_option_function<std::vector<std::string>>(
        names,
        [names, take](const std::vector<std::string>& words) {
            for (const std::string& word : words)
                if (const Result<void> taken = take(word); !taken)
                    throw CLI::ValidationError(names.substr(0, names.find(',')), taken.error().text);
        },
        help);
    return option->type_name(type)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

template <class T>
auto into(T& target, T low, T high, const char* unit = "a number")
{
    return [&target, low, high, unit](const std::string& word) -> Result<void> {
        const auto value = readNumber<T>(word, low, high, unit);
        if (!value)
            return value.error();
        target = *value;
        return {};
    };
}

auto oneOf(std::vector<std::string> allowed, std::function<void(const std::string&)> take)
{
    return [allowed, take](const std::string& word) -> Result<void> {
        if (std::find(allowed.begin(), allowed.end(), word) == allowed.end())
            return Error { fmt::format("\"{}\" is unknown; use one of: {}", word, fmt::join(allowed, ", ")) };
        take(word);
        return {};
    };
}

// Options for a program's name and for watching and controlling it.
void addWatched(CLI::App& app, ProcessOptions& options)
{
    app.set_version_flag("--version", app.get_name() + " " + LHRS_VERSION, "Print the version and exit");
    addOption(app, "--name", "Name in events, log and window", "NAME", [&options](const std::string& word) -> Result<void> {
        constexpr std::string_view kAllowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
        if (word.empty() || word.size() > 64 || word.find_first_not_of(kAllowed) != std::string::npos)
            return Error { "a name has 1 to 64 letters, digits, dots, dashes and underscores" };
        options.name = word;
        return {};
    });
    addOption(app, "--events", "Port of the events (ZeroMQ PUB); 0: the system chooses (0)", "PORT",
        into<std::uint16_t>(options.eventsPort, 0, 65'535, "a port"));
    addOption(app, "--control", "Port of the commands (ZeroMQ ROUTER); 0: the system chooses (0)", "PORT",
        into<std::uint16_t>(options.controlPort, 0, 65'535, "a port"));
    addOption(app, "--log", "Least important lines to log: trace, debug, info, warning, error, off (info)", "LEVEL",
        oneOf({ "trace", "debug", "info", "warning", "error", "off" },
            [&options](const std::string& word) { options.logLevel = word; }));
    app.add_flag("--die-with-parent", options.diesWithParent, "End when the process that started this one ends");
}

void addCommon(CLI::App& app, ProcessOptions& options, bool hasCoordinator)
{
    addWatched(app, options);
    addOption(app, "--listen", "Address for UDP and TCP, loopback only; port 0: the system chooses (127.0.0.1:0)",
        "ADDRESS[:PORT]", [&options](const std::string& word) -> Result<void> {
            const auto parsed = parseLoopback(word, false);
            if (!parsed)
                return parsed.error();
            options.listen = *parsed;
            return {};
        });
    if (hasCoordinator) {
        addOption(app, "--coordinator", "Where the coordinator listens (needed)", "HOST:PORT",
            [&options](const std::string& word) -> Result<void> {
                const auto parsed = parseLoopback(word, true);
                if (!parsed)
                    return parsed.error();
                options.coordinator = *parsed;
                return {};
            });
    }
    app.add_flag("--gate", options.hasGate, "On command, hold messages and let the protocol's clock stand; all processes of a cluster need it");
    addOption(app, "--threads", "Working threads (4)", "N", into<unsigned>(options.workingThreads, 1, 64));
}

// Fills in the options from the arguments. Nothing: success. Otherwise the exit code and the text to print.
template <class Line>
Parsed<Line> finish(CLI::App& app, Line& line, int count, const char* const* arguments, Result<void> (*check)(Line&))
{
    const auto refuse = [&app](const std::string& sentence) {
        return Parsed<Line> { {}, kExitUsage, app.get_name() + ": " + sentence };
    };
    try {
        app.parse(count, arguments);
    } catch (const CLI::CallForHelp&) {
        return { {}, kExitClean, app.help() };
    } catch (const CLI::CallForVersion& version) {
        return { {}, kExitClean, std::string(version.what()) + "\n" };
    } catch (const CLI::ParseError& error) {
        return refuse(std::string(error.what()) + "; see " + app.get_name() + " --help");
    }
    if (const auto checked = check(line); !checked)
        return refuse(checked.error().text);
    return { std::move(line), kExitClean, {} };
}

Result<void> needCoordinator(ProcessOptions& options, const char* kind)
{
    if (!options.coordinator)
        return Error { "no coordinator is named; say where it listens with --coordinator HOST:PORT" };
    if (options.name.empty())
        options.name = fmt::format("{}-{}", kind, ::getpid());
    return {};
}

// ---- configuration of a file

// Collects the first syntax error of the text format.
class FirstError : public google::protobuf::io::ErrorCollector {
public:
    void AddError(int line, int column, const std::string& message) override
    {
        if (m_text.empty())
            m_text = fmt::format("line {}, column {}: {}", line + 1, column + 1, message);
    }
    const std::string& text() const { return m_text; }

private:
    std::string m_text;
};

// Fields that the text sets replace those of `target`.
Result<void> mergeText(const std::string& text, google::protobuf::Message& target)
{
    google::protobuf::TextFormat::Parser parser;
    FirstError errors;
    parser.RecordErrorsTo(&errors);
    if (!parser.MergeFromString(text, &target))
        return Error { errors.text() };
    return {};
}

Result<void> readText(const std::string& path, google::protobuf::Message& target)
{
    constexpr std::streamsize kBytesMax = 1 << 20;
    std::ifstream file(path, std::ios::binary);
    std::string text(std::size_t(kBytesMax), '\0');
    if (file)
        file.read(text.data(), kBytesMax);
    if (file.bad() || (!file && file.gcount() == 0 && !file.eof()))
        return Error { fmt::format("the file {} cannot be read", path) };
    if (file.gcount() == kBytesMax)
        return Error { fmt::format("the file {} is too long for this", path) };
    text.resize(std::size_t(file.gcount()));
    if (const auto merged = mergeText(text, target); !merged)
        return Error { fmt::format("{}, {}", path, merged.error().text) };
    return {};
}

Result<void> addThreshold(const std::string& word, pb::FileConfig& config)
{
    const std::size_t colon = word.find(':');
    const auto buckets = readNumber<std::uint32_t>(word.substr(0, colon), 1, 1'000'000'000, "a number of buckets");
    if (colon == std::string::npos || !buckets)
        return Error { fmt::format("\"{}\" is not M:K; write for instance 8:2 for K = 2 from 8 data buckets on", word) };
    const auto availability = readNumber<std::uint32_t>(word.substr(colon + 1), 0, 8, "an intended availability");
    if (!availability)
        return availability.error();
    auto* threshold = config.add_thresholds();
    threshold->set_buckets(*buckets);
    threshold->set_availability(*availability);
    return {};
}

constexpr std::uint32_t kCapacityMax = 1u << 28; // a server does not accept more (message_check.cpp)

// The bounds of all parameters, whether they came from a file or from the command line.
Result<void> checkConfig(const pb::FileConfig& config)
{
    if (config.m() < 1 || config.m() > 32)
        return Error { fmt::format("m is {}, but a bucket group has 1 to 32 data buckets; change -m", config.m()) };
    if (config.b() < 1 || config.b() > kCapacityMax)
        return Error { fmt::format("b is {}, but a bucket holds 1 to {} records; change -b", config.b(), kCapacityMax) };
    if (config.availability() > 8)
        return Error { fmt::format("K is {}, but a group has at most 8 parity buckets; change -k", config.availability()) };
    if (!pb::Field_IsValid(config.field()))
        return Error { "the field is unknown; use GF_16 or GF_8" };
    if (!pb::Rerank_IsValid(config.rerank()))
        return Error { "the way to rerank is unknown; use FILL_HOLES or KEEP" };
    if (!pb::RecoveryWay_IsValid(config.recovery()) || !pb::DecodeWay_IsValid(config.decode()))
        return Error { "the way to recover or to decode is unknown; see proto/config.proto" };
    if (!pb::RecoveryTransport_IsValid(config.recovery_transport()) || !pb::TcpMode_IsValid(config.tcp_mode()))
        return Error { "the way of slices or of TCP connections is unknown; see proto/config.proto" };
    if (const auto options = fieldOptionsNamed(config.galois()); !options)
        return options.error();
    if (config.load_control() != 0 && (config.load_control() < 100 || config.load_control() > 1000))
        return Error { fmt::format("the load control is {}, but it is 0 (none) or 100 to 1000 per mille; change --load-control", config.load_control()) };
    pb::Threshold last;
    last.set_availability(config.availability());
    for (const pb::Threshold& threshold : config.thresholds()) {
        if (threshold.buckets() <= last.buckets() || threshold.availability() < last.availability()
            || threshold.availability() > 8)
            return Error { fmt::format("threshold {}:{} does not go on from {}:{}; M and K must grow, K up to 8",
                threshold.buckets(), threshold.availability(), last.buckets(), last.availability()) };
        last = threshold;
    }
    return {};
}

void addFileOptions(CLI::App& app, CoordinatorLine& line, bool& hasThresholds)
{
    pb::FileConfig& config = line.config;
    config.set_m(4);
    config.set_availability(1);
    config.set_recovery(pb::RECOVERY_AUTOMATIC);
    config.set_b(10'000);
    config.set_galois("simd");
    // First, so that the other options override the file.
    addOption(app, "--config", "Parameters as a FileConfig in protobuf text format; options change single ones", "FILE",
        [&config](const std::string& word) { return readText(word, config); });
    addOption(app, "-m", "Data buckets of a bucket group, 1 to 32 (4)", "N",
        [&config](const std::string& word) -> Result<void> {
            const auto m = readNumber<std::uint32_t>(word, 1, 32, "a number of data buckets of a group");
            if (!m)
                return m.error();
            config.set_m(*m);
            return {};
        });
    addOption(app, "-k,--availability", "Intended availability K at the start, 0 to 8 (1)", "K",
        [&config](const std::string& word) -> Result<void> {
            const auto k = readNumber<std::uint32_t>(word, 0, 8, "an intended availability");
            if (!k)
                return k.error();
            config.set_availability(*k);
            return {};
        });
    addOption(app, "-b", "Bucket capacity in records, at least 1 (10000)", "N",
        [&config](const std::string& word) -> Result<void> {
            const auto b = readNumber<std::uint32_t>(word, 1, kCapacityMax, "a bucket capacity");
            if (!b)
                return b.error();
            config.set_b(*b);
            return {};
        });
    addOption(app, "--field", "Bits of a symbol, 16 or 8 (16)", "BITS",
        oneOf({ "16", "8" }, [&config](const std::string& word) { config.set_field(word == "8" ? pb::GF_8 : pb::GF_16); }));
    addOption(app, "--rerank", "Ranks that a split leaves free: fill or keep (fill)", "WAY",
        oneOf({ "fill", "keep" },
            [&config](const std::string& word) { config.set_rerank(word == "keep" ? pb::KEEP : pb::FILL_HOLES); }));
    addOption(app, "--threshold", "From M data buckets on, intended availability K; may be given several times", "M:K",
        [&config, &hasThresholds](const std::string& word) {
            if (!std::exchange(hasThresholds, true))
                config.clear_thresholds();
            return addThreshold(word, config);
        });
    addOption(app, "--galois", "Backend of the field: simd, gf-complete or log; simd:avx2 and the like for those instructions (simd)", "NAME",
        [&config](const std::string& word) -> Result<void> {
            if (word.empty())
                return Error { "a name is wanted: simd, gf-complete or log" };
            const auto options = fieldOptionsNamed(word);
            if (!options)
                return options.error();
            config.set_galois(word);
            return {};
        });
    app.add_flag("--mix-keys", [&config](std::int64_t count) { config.set_mix_keys(count > 0); },
        "Clients address by a mix of the key's bits");
    app.add_flag("--pure-rs", [&config](std::int64_t count) { config.set_pure_rs(count > 0); },
        "Experiment: general multiplication also where XOR would do");
    app.add_flag("--no-log-precalculus", [&config](std::int64_t count) { config.set_no_log_precalculus(count > 0); },
        "Experiment: the coefficient's logarithm is looked up for every symbol");
    addOption(app, "--recruiting", "How spares are invited: auto, multicast or registry (auto)", "WAY",
        oneOf({ "auto", "multicast", "registry" }, [&line](const std::string& word) { line.recruiting = word; }));
    addOption(app, "--recovery",
        "What makes the coordinator look after a silent bucket: off, automatic, alarm (a client's) or manual (a command) (automatic)", "WAY",
        oneOf({ "off", "automatic", "alarm", "manual" }, [&config](const std::string& word) {
            config.set_recovery(word == "automatic" ? pb::RECOVERY_AUTOMATIC
                    : word == "alarm"               ? pb::RECOVERY_ON_ALARM
                    : word == "manual"              ? pb::RECOVERY_MANUAL
                                                    : pb::RECOVERY_OFF);
        }));
    addOption(app, "--slice", "Ranks of a recovery slice, at least 1 (3125, or less: about 1 MiB of records)", "N",
        [&config](const std::string& word) -> Result<void> {
            const auto ranks = readNumber<std::uint32_t>(word, 1, 1u << 24, "a number");
            if (!ranks)
                return ranks.error();
            config.set_slice(*ranks);
            return {};
        });
    addOption(app, "--decode", "How lost records are computed: auto (XOR where that is enough) or rs (auto)", "WAY",
        oneOf({ "auto", "rs" }, [&config](const std::string& word) { config.set_decode(word == "rs" ? pb::DECODE_RS : pb::DECODE_AUTO); }));
    addOption(app, "--recovery-transport", "How the slices of a bucket recovery travel: tcp or udp (tcp)", "WAY",
        oneOf({ "tcp", "udp" }, [&config](const std::string& word) {
            config.set_recovery_transport(word == "udp" ? pb::RECOVERY_UDP : pb::RECOVERY_TCP);
        }));
    addOption(app, "--tcp", "Connections for long messages: passive (open from the start) or handshake (asked for by UDP each time, as in SDDS-2000) (passive)", "WAY",
        oneOf({ "passive", "handshake" }, [&config](const std::string& word) {
            config.set_tcp_mode(word == "handshake" ? pb::TCP_HANDSHAKE : pb::TCP_PASSIVE);
        }));
    addOption(app, "--split", "Splits of the file: serial (one after the other) or parallel (up to four are staged at once) (serial)", "WAY",
        oneOf({ "serial", "parallel" }, [&config](const std::string& word) { config.set_parallel_splits(word == "parallel"); }));
    app.add_flag("--merges", [&config](std::int64_t count) { config.set_merges(count > 0); },
        "The file shrinks by itself when it holds few records");
    addOption(app, "--load-control", "An overloaded bucket brings about a split only above this load of the file, 0.1 to 1; 0: always (0)", "X",
        [&config](const std::string& word) -> Result<void> {
            double load = 0;
            if (const auto read = into<double>(load, 0, 1)(word); !read)
                return read.error();
            config.set_load_control(std::uint32_t(std::lround(load * 1000)));
            return {};
        });
    addOption(app, "--timers", "Time-outs as Timers in protobuf text format, e.g. 'resend_ms: 50'", "TEXT",
        [&line](const std::string& word) { return mergeText(word, line.timers); });
    addOption(app, "--time-scale", "Multiplies all time-outs, 0.01 to 1000 (1)", "X",
        into<double>(line.timeScale, 0.01, 1'000));
}

} // namespace

Parsed<NodeLine> parseNodeLine(int count, const char* const* arguments)
{
    CLI::App app("A server of an LH*RS file: waits as a spare until it is recruited as a data or parity bucket.", "lhrs-node");
    NodeLine line;
    addCommon(app, line.process, true);
    addOption(app, "--role", "Pool of spares to wait in: data or parity (data)", "ROLE",
        oneOf({ "data", "parity" },
            [&line](const std::string& word) { line.pool = word == "parity" ? pb::PARITY : pb::DATA; }));
    addOption(app, "--memory", "Memory that it may take, e.g. 512M or 2G; near it, and near every limit of the system, it refuses what would make "
        "its bucket grow (as much as the system allows)", "SIZE", [&line](const std::string& word) -> Result<void> {
        const auto bytes = parseSize(word);
        if (!bytes)
            return bytes.error();
        line.process.memory = *bytes;
        return {};
    });
    return finish<NodeLine>(app, line, count, arguments, [](NodeLine& l) { return needCoordinator(l.process, "node"); });
}

Parsed<CoordinatorLine> parseCoordinatorLine(int count, const char* const* arguments)
{
    CLI::App app("The coordinator of an LH*RS file: knows the file state, orders splits, recruits spares.", "lhrs-coordinator");
    CoordinatorLine line;
    bool hasThresholds = false;
    addCommon(app, line.process, false);
    addFileOptions(app, line, hasThresholds);
    app.add_flag("--new", line.isNewFile,
        "No file is running at this address: begin at once, instead of listening first for processes of a running file");
    auto* replaces = app.add_flag("--replaces", line.isReplacement,
        "Another coordinator had a file at this address: wait for its buckets, and make no file even if only new servers are heard");
    replaces->excludes("--new");
    return finish<CoordinatorLine>(app, line, count, arguments, [](CoordinatorLine& l) {
        if (l.process.name.empty())
            l.process.name = "coordinator";
        return checkConfig(l.config);
    });
}

Parsed<ClientLine> parseClientLine(int count, const char* const* arguments)
{
    CLI::App app("A client of an LH*RS file: carries out operations and workloads that it is commanded.", "lhrs-client");
    ClientLine line;
    addCommon(app, line.process, true);
    return finish<ClientLine>(app, line, count, arguments, [](ClientLine& l) { return needCoordinator(l.process, "client"); });
}

Parsed<SimLine> parseSimLine(int count, const char* const* arguments)
{
    CLI::App app("A whole simulated cluster in one process: the same machines on a virtual clock, behind the same events and commands.",
        "lhrs-sim");
    SimLine line;
    bool hasThresholds = false;
    addWatched(app, line.file.process);
    addOption(app, "--seed", "Seed of all that is drawn (1)", "N",
        [&line](const std::string& word) -> Result<void> {
            const auto seed = readSeed(word);
            if (!seed)
                return seed.error();
            line.seed = *seed;
            return {};
        });
    addOption(app, "--data-spares", "Servers in the data pool before the file takes any, 0 to 2000 (8)", "N",
        into<std::uint32_t>(line.dataServers, 0, 2'000));
    addOption(app, "--parity-spares", "Servers in the parity pool before the file takes any, 0 to 2000 (6)", "N",
        into<std::uint32_t>(line.parityServers, 0, 2'000));
    addOption(app, "--speed", "Virtual time to real time, 0.001 to 100, or max: as fast as possible (1)", "X",
        [&line](const std::string& word) -> Result<void> {
            const auto speed = readNumber<double>(word == "max" ? "0.001" : word, 0.001, 100, "max or a factor");
            if (!speed)
                return speed.error();
            line.speed = word == "max" ? 0 : *speed;
            return {};
        });
    app.add_flag("--paused", line.isPaused, "Virtual time stands still at first");
    addOption(app, "--wall-of-zero", "What watchers are told of virtual zero, in ns since 1970, and the first of them is waited for; else the moment at which time first goes on", "NS",
        [&line](const std::string& word) -> Result<void> {
            const auto zero = readNumber<std::int64_t>(word, 0, std::numeric_limits<std::int64_t>::max() / 2, "nanoseconds");
            if (!zero)
                return zero.error();
            line.wallOfZero = *zero;
            return {};
        });
    addOption(app, "--delay", "What a message takes at least, in us (100)", "US", into<std::uint32_t>(line.delayUs, 1, 10'000'000));
    addOption(app, "--jitter", "What a message takes more at most, in us (50)", "US", into<std::uint32_t>(line.jitterUs, 0, 10'000'000));
    addOption(app, "--step-cost", "What a step of a process takes, in us (5)", "US", into<std::uint32_t>(line.stepUs, 1, 1'000'000));
    app.add_flag("--case", line.playsCase,
        "Play the case that the seed stands for in tst_simulation, to be watched: what is said of the file does not count then");
    app.add_flag("--messages", line.withMessages,
        "With a case: events of messages, too, which makes messages a little longer, and so may make another run");
    addOption(app, "--case-file", "Play a case given as text (Case of proto/config.proto), to be watched", "FILE",
        [&line](const std::string& word) -> Result<void> {
            line.playsCase = true;
            return readText(word, line.told.emplace());
        });
    addFileOptions(app, line.file, hasThresholds);
    return finish<SimLine>(app, line, count, arguments, [](SimLine& l) {
        if (l.file.process.name.empty())
            l.file.process.name = "simulation";
        if (l.withMessages && !l.playsCase)
            return Result<void>(Error { "--messages is for a case; write --case or --case-file, too" });
        return checkConfig(l.file.config);
    });
}

pb::Timers scaleTimes(pb::Timers timers, double factor)
{
    const auto* type = pb::Timers::descriptor();
    const auto* values = pb::Timers::GetReflection();
    for (int i = 0; i < type->field_count(); ++i) {
        const auto* field = type->field(i);
        if (!field->name().ends_with("_ms"))
            continue;
        const double scaled = values->GetUInt32(timers, field) * factor;
        values->SetUInt32(&timers, field, std::uint32_t(std::clamp(scaled, 1.0, 1e9)));
    }
    return timers;
}

void openLog(const ProcessOptions& options)
{
    auto logger = std::make_shared<spdlog::logger>(options.name, std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("%H:%M:%S.%e %n %l: %v");
    logger->set_level(spdlog::level::from_str(options.logLevel));
    logger->flush_on(spdlog::level::trace);
    spdlog::set_default_logger(std::move(logger));
    checkReporter = [](const char* text) { spdlog::critical("{}", text); };
    // The library logs bytes that are not a valid message. Such bytes are refused and counted here, and a flood of them
    // must not become a flood of log lines.
    google::protobuf::SetLogHandler([](google::protobuf::LogLevel, const char*, int, const std::string& text) {
        spdlog::debug("protobuf: {}", text);
    });
}

} // namespace lhrs
