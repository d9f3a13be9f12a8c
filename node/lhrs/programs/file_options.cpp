// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/programs/file_options.h"

#include "common/field/galois.h"
#include "node/process/option_parts.h"

#include <spdlog/fmt/fmt.h>

#include <cmath>
#include <utility>

namespace lhrs {

namespace {

constexpr const char* kSystem = "lhrs";

Result<void> addThreshold(const std::string& word, pb::FileConfig& config)
{
    const std::size_t colon = word.find(':');
    const auto buckets = readNumber<std::uint32_t>(word.substr(0, colon), 1, 1'000'000'000, "a number of buckets");
    if (colon == std::string::npos || !buckets)
        return Error { fmt::format(
            "\"{}\" is not M:K; write for instance 8:2 for K = 2 from 8 data buckets on", word) };
    const auto availability = readNumber<std::uint32_t>(word.substr(colon + 1), 0, 8, "an intended availability");
    if (!availability)
        return availability.error();
    auto* threshold = config.add_thresholds();
    threshold->set_buckets(*buckets);
    threshold->set_availability(*availability);
    return {};
}

constexpr std::uint32_t kCapacityMax = 1u << 28; // a server accepts no more (message_check.cpp)

// The bounds of all parameters, whether they come from a file or from the command line.
Result<void> checkConfig(const pb::FileConfig& config)
{
    if (config.m() < 1 || config.m() > 32)
        return Error { fmt::format("m is {}, but a bucket group has 1 to 32 data buckets; change -m", config.m()) };
    if (config.b() < 1 || config.b() > kCapacityMax)
        return Error { fmt::format(
            "b is {}, but a bucket holds 1 to {} records; change -b", config.b(), kCapacityMax) };
    if (config.availability() > 8)
        return Error { fmt::format(
            "K is {}, but a group has at most 8 parity buckets; change -k", config.availability()) };
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
        return Error { fmt::format(
            "the load control is {}, but it is 0 (none) or 100 to 1000 per mille; change --load-control",
            config.load_control()) };
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

// Parses a number within these bounds and passes it to `set`.
template <class Set> auto numberFor(std::uint32_t least, std::uint32_t most, const char* what, const Set& set)
{
    return [=](const std::string& word) -> Result<void> {
        const auto n = readNumber<std::uint32_t>(word, least, most, what);
        if (!n)
            return n.error();
        set(*n);
        return {};
    };
}

template <class Set> void addFlag(CLI::App& app, const char* name, const char* text, const Set& set)
{
    app.add_flag(
        name, [set](std::int64_t count) { set(count > 0); }, text);
}

// Buckets, groups, records and the field.
void addLayoutOptions(CLI::App& app, pb::FileConfig& config, bool& hasThresholds)
{
    addOption(app, "-m", "Data buckets of a bucket group, 1 to 32 (4)", "N",
        numberFor(1, 32, "a number of data buckets of a group", [&config](std::uint32_t n) { config.set_m(n); }));
    addOption(app, "-k,--availability", "Intended availability K at the start, 0 to 8 (1)", "K",
        numberFor(0, 8, "an intended availability", [&config](std::uint32_t n) { config.set_availability(n); }));
    addOption(app, "-b", "Bucket capacity in records, at least 1 (10000)", "N",
        numberFor(1, kCapacityMax, "a bucket capacity", [&config](std::uint32_t n) { config.set_b(n); }));
    addOption(app, "--field", "Bits of a symbol, 16 or 8 (16)", "BITS",
        oneOf({ "16", "8" },
            [&config](const std::string& word) { config.set_field(word == "8" ? pb::GF_8 : pb::GF_16); }));
    addOption(app, "--rerank", "Ranks that a split leaves free: fill or keep (fill)", "WAY",
        oneOf({ "fill", "keep" },
            [&config](const std::string& word) { config.set_rerank(word == "keep" ? pb::KEEP : pb::FILL_HOLES); }));
    addOption(app, "--threshold", "From M data buckets on, intended availability K; may be given several times", "M:K",
        [&config, &hasThresholds](const std::string& word) {
            if (!std::exchange(hasThresholds, true))
                config.clear_thresholds();
            return addThreshold(word, config);
        });
    addOption(app, "--galois",
        "Backend of the field: simd, gf-complete or log; simd:avx2 and the like for those instructions (simd)", "NAME",
        [&config](const std::string& word) -> Result<void> {
            if (word.empty())
                return Error { "a name is wanted: simd, gf-complete or log" };
            const auto options = fieldOptionsNamed(word);
            if (!options)
                return options.error();
            config.set_galois(word);
            return {};
        });
    addFlag(app, "--mix-keys", "Clients address by a mix of the key's bits",
        [&config](bool isOn) { config.set_mix_keys(isOn); });
    addFlag(app, "--pure-rs", "Experiment: general multiplication also where XOR would do",
        [&config](bool isOn) { config.set_pure_rs(isOn); });
    addFlag(app, "--no-log-precalculus", "Experiment: the coefficient's logarithm is looked up for every symbol",
        [&config](bool isOn) { config.set_no_log_precalculus(isOn); });
}

void addRecoveryOptions(CLI::App& app, CoordinatorLine& line)
{
    pb::FileConfig& config = line.config;
    addOption(app, "--recruiting", "How spares are invited: auto, multicast or registry (auto)", "WAY",
        oneOf({ "auto", "multicast", "registry" }, [&line](const std::string& word) { line.recruiting = word; }));
    addOption(app, "--recovery",
        "What makes the coordinator look after a silent bucket: off, automatic, alarm (a client's) or manual (a "
        "command) (automatic)",
        "WAY", oneOf({ "off", "automatic", "alarm", "manual" }, [&config](const std::string& word) {
            config.set_recovery(word == "automatic" ? pb::RECOVERY_AUTOMATIC
                    : word == "alarm"               ? pb::RECOVERY_ON_ALARM
                    : word == "manual"              ? pb::RECOVERY_MANUAL
                                                    : pb::RECOVERY_OFF);
        }));
    addOption(app, "--slice", "Ranks of a recovery slice, at least 1 (3125, or less: about 1 MiB of records)", "N",
        numberFor(1, 1u << 24, "a number", [&config](std::uint32_t n) { config.set_slice(n); }));
    addOption(app, "--decode", "How lost records are computed: auto (XOR where that is enough) or rs (auto)", "WAY",
        oneOf({ "auto", "rs" },
            [&config](const std::string& word) { config.set_decode(word == "rs" ? pb::DECODE_RS : pb::DECODE_AUTO); }));
    addOption(app, "--recovery-transport", "How the slices of a bucket recovery travel: tcp or udp (tcp)", "WAY",
        oneOf({ "tcp", "udp" }, [&config](const std::string& word) {
            config.set_recovery_transport(word == "udp" ? pb::RECOVERY_UDP : pb::RECOVERY_TCP);
        }));
    addOption(app, "--tcp",
        "Connections for long messages: passive (open from the start) or handshake (asked for by UDP each time, as in "
        "SDDS-2000) (passive)",
        "WAY", oneOf({ "passive", "handshake" }, [&config](const std::string& word) {
            config.set_tcp_mode(word == "handshake" ? pb::TCP_HANDSHAKE : pb::TCP_PASSIVE);
        }));
}

void addGrowthOptions(CLI::App& app, pb::FileConfig& config)
{
    addOption(app, "--split",
        "Splits of the file: serial (one after the other) or parallel (up to four are staged at once) (serial)", "WAY",
        oneOf({ "serial", "parallel" },
            [&config](const std::string& word) { config.set_parallel_splits(word == "parallel"); }));
    addFlag(app, "--merges", "The file shrinks by itself when it holds few records",
        [&config](bool isOn) { config.set_merges(isOn); });
    addOption(app, "--load-control",
        "An overloaded bucket causes a split only above this load of the file, 0.1 to 1; 0: always (0)", "X",
        [&config](const std::string& word) -> Result<void> {
            double load = 0;
            if (const auto read = into<double>(load, 0, 1)(word); !read)
                return read.error();
            config.set_load_control(std::uint32_t(std::lround(load * 1000)));
            return {};
        });
}

void addFileOptions(CLI::App& app, CoordinatorLine& line, bool& hasThresholds)
{
    pb::FileConfig& config = line.config;
    config.set_m(4);
    config.set_availability(1);
    config.set_recovery(pb::RECOVERY_AUTOMATIC);
    config.set_b(10'000);
    config.set_galois("simd");
    // This option comes first, so that the other options override the file.
    addOption(app, "--config", "Parameters as a FileConfig in protobuf text format; other options override single ones",
        "FILE", [&config](const std::string& word) { return readText(word, config); });
    addLayoutOptions(app, config, hasThresholds);
    addRecoveryOptions(app, line);
    addGrowthOptions(app, config);
    addTimes(app, line.timers, line.timeScale);
}

} // namespace

Parsed<NodeLine> parseNodeLine(int count, const char* const* arguments)
{
    CLI::App app(
        "A server of an LH*RS file: waits as a spare until it is recruited as a data or parity bucket.", "lhrs-node");
    NodeLine line;
    addSystem(app, kSystem);
    addCommon(app, line.process, true);
    addOption(app, "--role", "Pool of spares to wait in: data or parity (data)", "ROLE",
        oneOf({ "data", "parity" },
            [&line](const std::string& word) { line.pool = word == "parity" ? pb::PARITY : pb::DATA; }));
    addMemory(app, line.process,
        "Memory that the server may use, e.g. 512M or 2G; near this limit, and near any limit of the system, it "
        "refuses what would make its bucket grow (as much as the system allows)");
    return finish<NodeLine>(
        app, line, count, arguments, [](NodeLine& l) { return needCoordinator(l.process, "node"); });
}

Parsed<CoordinatorLine> parseCoordinatorLine(int count, const char* const* arguments)
{
    CLI::App app(
        "The coordinator of an LH*RS file: knows the file state, orders splits, recruits spares.", "lhrs-coordinator");
    CoordinatorLine line;
    bool hasThresholds = false;
    addSystem(app, kSystem);
    addCommon(app, line.process, false);
    addKeyMaking(app);
    addFileOptions(app, line, hasThresholds);
    app.add_flag("--new", line.isNewFile,
        "No file is running at this address: begin at once, instead of listening first for processes of a running "
        "file");
    auto* replaces = app.add_flag("--replaces", line.isReplacement,
        "Another coordinator had a file at this address: wait for its buckets, and make no file even if only new "
        "servers are heard");
    replaces->excludes("--new");
    return finish<CoordinatorLine>(app, line, count, arguments, [](CoordinatorLine& l) {
        if (l.process.name.empty())
            l.process.name = "coordinator";
        const auto key = needKey(l.process, false);
        return key ? checkConfig(l.config) : key;
    });
}

Parsed<ClientLine> parseClientLine(int count, const char* const* arguments)
{
    CLI::App app("A client of an LH*RS file: carries out operations and workloads on command.", "lhrs-client");
    ClientLine line;
    addSystem(app, kSystem);
    addCommon(app, line.process, true);
    addDoor(app, line.door);
    return finish<ClientLine>(app, line, count, arguments, [](ClientLine& l) {
        const auto needed = needCoordinator(l.process, "client");
        return needed ? checkDoor(l.door, l.process) : needed;
    });
}

Parsed<SimLine> parseSimLine(int count, const char* const* arguments)
{
    CLI::App app("A whole simulated cluster in one process: the same machines on a virtual clock, behind the same "
                 "events and commands.",
        "lhrs-sim");
    SimLine line;
    bool hasThresholds = false;
    addSystem(app, kSystem);
    addWatched(app, line.file.process);
    addSimulation(app, line);
    addOption(app, "--data-spares", "Servers in the data pool before the file takes any, 0 to 2000 (8)", "N",
        into<std::uint32_t>(line.dataServers, 0, 2'000));
    addOption(app, "--parity-spares", "Servers in the parity pool before the file takes any, 0 to 2000 (6)", "N",
        into<std::uint32_t>(line.parityServers, 0, 2'000));
    app.add_flag("--case", line.playsCase,
        "Play the case that the seed stands for in tst_simulation, to be watched; the options of the file are then "
        "ignored");
    app.add_flag("--messages", line.withMessages,
        "With a case: also publish events of messages, which makes messages a little longer, so the run may differ");
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

} // namespace lhrs
