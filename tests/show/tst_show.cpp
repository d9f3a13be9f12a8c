// SPDX-License-Identifier: GPL-3.0-or-later
// Every scenario as a show in a small window.
#include "tests/show/played_show.h"

using namespace lhrs::gui;

class ShowTest : public QObject {
    Q_OBJECT
private slots:
    void theShowIsWellTold_data();
    void theShowIsWellTold() { playShow(); }
};

void ShowTest::theShowIsWellTold_data()
{
    addShowColumns();
    const auto row = [](const char* file, const QStringList& sets = {}) {
        QTest::newRow(file) << QString(file) << QSize(1280, 720) << false << sets;
    };
    for (const char* file : kShows)
        row(file);
    // Experiments, which are shortened here.
    row("recovery_ways.js", { "records=4000", "repetitions=1", "slice=500", "searches=200" });
    row("reading_a_measurement.js", { "records=500", "searches=300", "repetitions=2" });
    row("parity_tables.js", { "repetitions=1", "sizes=200" });
    row("recovery_tables.js", { "repetitions=1", "records=2000", "parts=5" });
    row("record_recovery.js", { "repetitions=1", "records=2000", "counts=100" });
    row("search_times.js", { "repetitions=1", "records=2000", "counts=500" });
    row("file_creation.js", { "repetitions=1", "records=600", "b=240" });
    row("network_speed.js", { "repetitions=1", "records=2000", "slice=200" });
}

int main(int count, char** arguments) { return runOffscreen<ShowTest>(count, arguments); }
#include "tst_show.moc"
