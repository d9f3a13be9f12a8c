// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start/lhrs/file_cards.h"

namespace lhrs::gui {

const CardRuns& fileCards()
{
    static const CardRuns kRuns {
        {
            { "recovery_ways",
                { { "records", "4000" }, { "repetitions", "1" }, { "slice", "500" }, { "searches", "20" } } },
            { "reading_a_measurement", { { "records", "500" }, { "searches", "300" }, { "repetitions", "2" } } },
            { "parity_tables", { { "repetitions", "1" }, { "sizes", "200" } } },
            { "recovery_tables", { { "repetitions", "1" }, { "records", "2000" }, { "parts", "5" } } },
            { "record_recovery", { { "repetitions", "1" }, { "records", "2000" }, { "counts", "100" } } },
            { "search_times", { { "repetitions", "1" }, { "records", "2000" }, { "counts", "500" } } },
            { "file_creation", { { "repetitions", "1" }, { "records", "600" }, { "b", "240" } } },
            { "network_speed", { { "repetitions", "1" }, { "records", "2000" }, { "slice", "200" } } },
        },
        {
            { "free_live",
                "lab.cluster({ m: 4, k: 1, b: 40, recordBytes: 100, spares: { data: 9, parity: 5 } });\n"
                "lab.client('alice').run({ do: 'insert', count: 90 }); lab.settle();" },
            { "free_simulated",
                "lab.cluster({ m: 4, k: 1, b: 40, recordBytes: 100, spares: { data: 9, parity: 5 } });\n"
                "lab.client('alice').run({ do: 'insert', count: 220 }); lab.settle();" },
            { "free_running",
                "lab.cluster({ m: 4, k: 2, b: 20, recordBytes: 100, spares: { data: 24, parity: 14 } });\n"
                "lab.client('alice').run({ do: 'insert', count: 150 }); "
                "lab.client('bob').run({ do: 'insert', count: 150 });\n"
                "while (lab.file().M < 16)\n    lab.split();\nlab.settle();" },
        }
    };
    return kRuns;
}

} // namespace lhrs::gui
