// SPDX-License-Identifier: GPL-3.0-or-later
// The papers' claims about ratios, and whether they hold for the measured tables. Each claim has its own bounds,
// within which it counts as confirmed.
#include "gui/lab/export/lhrs/paper_report.h"

#include <limits>

namespace lhrs::gui {

namespace {

using Where = std::map<QString, QString>;
constexpr double kAny = std::numeric_limits<double>::infinity();

struct Figures {
    const std::map<QString, CsvTable>& measured;

    std::optional<double> median(const char* table, const Where& where, const char* metric) const
    {
        const auto found = measured.find(table);
        const auto figure = found != measured.end() ? paperFigure(found->second, where, metric) : std::nullopt;
        return figure ? std::optional(figure->median) : std::nullopt;
    }
    std::optional<double> ratio(const char* table, const Where& over, const Where& under, const char* metric) const
    {
        const auto a = median(table, over, metric), b = median(table, under, metric);
        return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
    }
    std::optional<double> ratioOf(const std::optional<double>& a, const std::optional<double>& b) const
    {
        return a && b && *b > 0 ? std::optional(*a / *b) : std::nullopt;
    }
};

} // namespace

std::vector<PaperShape> paperShapes(const std::map<QString, CsvTable>& measured)
{
    const Figures f { measured };
    const auto recovery = [&](const char* gf, const char* failed, const char* scheme) {
        return Where { { "gf", gf }, { "failed_buckets", failed }, { "scheme", scheme } };
    };
    const auto creation = [&](const char* gf, const char* scheme, const char* size) {
        return Where { { "gf", gf }, { "scheme", scheme }, { "bucket_size", size } };
    };
    const auto option = [&](const char* gf, const char* name) {
        return Where { { "gf", gf }, { "option", name }, { "bucket_size", "50000" } };
    };
    std::vector<PaperShape> shapes;
    const auto add = [&](const char* experiment, const char* claim, const char* ratio, std::optional<double> ours,
                         double published, double low, double high) {
        shapes.push_back({ experiment, claim, ratio, ours, published, low, high });
    };
    add("E1", "Taking the logarithms of a column once makes encoding faster.", "process without / with it, GF(2^8)",
        f.ratio("process_time_options", option("8", "log_precalculus_off"), option("8", "rs_pure"), "process_s"), 1.036,
        1, kAny);
    add("E2", "A matrix with a row of ones is encoded faster than a general one.",
        "process general / with ones, GF(2^8)",
        f.ratio("process_time_options", option("8", "rs_pure"), option("8", "rs_row_of_ones"), "process_s"), 1.059, 1,
        kAny);
    add("E2", "The same in the larger field.", "process general / with ones, GF(2^16)",
        f.ratio("process_time_options", option("16", "rs_pure"), option("16", "rs_row_of_ones"), "process_s"), 1.028, 1,
        kAny);
    add("E3", "The time of making a parity bucket is about linear in its records.",
        "total, bucket size 50,000 / 5,000, XOR, GF(2^16)",
        f.ratio("parity_creation", creation("16", "xor", "50000"), creation("16", "xor", "5000"), "total_s"), 10.9, 5,
        15);
    add("E16", "XOR takes less work than multiplication.", "process XOR / RS, bucket size 50,000, GF(2^8)",
        f.ratio("parity_creation", creation("8", "xor", "50000"), creation("8", "rs", "50000"), "process_s"), 0.795, 0,
        1);
    add("E16", "The same in the larger field.", "process XOR / RS, bucket size 50,000, GF(2^16)",
        f.ratio("parity_creation", creation("16", "xor", "50000"), creation("16", "rs", "50000"), "process_s"), 0.969,
        0, 1);
    add("E4", "One bucket is recovered faster by XOR than by decoding.", "total RS / XOR, GF(2^16), mean over slices",
        f.ratio("bucket_recovery", recovery("16", "1", "rs"), recovery("16", "1", "xor"), "total_s"), 1.188, 1, kAny);
    add("E8", "Decoding is about linear in the number of lost buckets.", "process, 3 / 2 buckets, GF(2^16)",
        f.ratio("bucket_recovery", recovery("16", "3", "rs"), recovery("16", "2", "rs"), "process_s"), 1.52, 1.2, 1.8);
    add("E8", "Communication grows far less than the number of lost buckets.", "communication, 3 / 1 buckets, GF(2^16)",
        f.ratio("bucket_recovery", recovery("16", "3", "rs"), recovery("16", "1", "rs"), "comm_s"), 1.48, 0, 2.5);
    add("E15", "GF(2^16) decodes two buckets faster than GF(2^8).", "process GF(2^16) / GF(2^8), 2 buckets",
        f.ratio("bucket_recovery", recovery("16", "2", "rs"), recovery("8", "2", "rs"), "process_s"), 0.48, 0, 1);
    add("E15", "The field makes hardly any difference when a file is made.", "total GF(2^16) / GF(2^8), k = 1",
        f.ratio("file_creation", { { "gf", "16" }, { "k", "1" } }, { { "gf", "8" }, { "k", "1" } }, "total_s"), 1.014,
        0.9, 1.1);
    add("E9", "XOR gains little when single records are recovered.",
        "time of a record, RS / XOR, 25,000 records, GF(2^16)",
        f.ratio("record_recovery", { { "gf", "16" }, { "scheme", "rs" }, { "records", "25000" } },
            { { "gf", "16" }, { "scheme", "xor" }, { "records", "25000" } }, "ms_per_record"),
        1.023, 0.95, 1.2);
    add("E10", "Searches in parallel take a fraction of the time.", "synchronised / parallel, 100,000 searches",
        f.ratio("search", { { "window", "1" }, { "searches", "100000" } },
            { { "window", "64" }, { "searches", "100000" } }, "ms_per_record"),
        4.3, 2, kAny);
    const auto k0 = f.median("file_creation", { { "gf", "16" }, { "k", "0" } }, "total_s"),
               k1 = f.median("file_creation", { { "gf", "16" }, { "k", "1" } }, "total_s"),
               k2 = f.median("file_creation", { { "gf", "16" }, { "k", "2" } }, "total_s");
    add("E11", "The first parity bucket costs something.", "total k = 1 / k = 0, GF(2^16)", f.ratioOf(k1, k0), 1.268, 1,
        2);
    add("E12", "A second one costs less than the first, because both are told at once.",
        "(k = 2 less k = 1) / (k = 1 less k = 0)", k0 && k1 && k2 ? f.ratioOf(*k2 - *k1, *k1 - *k0) : std::nullopt,
        0.397, -kAny, 1);
    add("E13", "An insert that meets a split waits hundreds of times as long as others.",
        "longest / median insert, k = 0",
        f.ratioOf(f.median("insert_stalls", { { "k", "0" } }, "max_ms"),
            f.median("insert_stalls", { { "k", "0" } }, "p50_ms")),
        730, 100, kAny);
    add("E17", "Connections that stay open are faster than one for each transfer.",
        "total handshake / passive open, 1 bucket",
        f.ratio("recovery_ways", { { "tcp", "handshake" }, { "failed_buckets", "1" } },
            { { "tcp", "passive" }, { "transport", "tcp" }, { "decode", "auto" }, { "failed_buckets", "1" } },
            "total_s"),
        5, 1, kAny);
    add("E18", "A ten times faster network takes about 80 % off the time of transfers.",
        "communication, 100 Mb/s / 1 Gb/s, recovery of 1 bucket",
        f.ratio("network_recovery", { { "network", "100 Mb/s" } }, { { "network", "1 Gb/s" } }, "comm_s"), 5, 2, kAny);
    return shapes;
}

} // namespace lhrs::gui
