// SPDX-License-Identifier: GPL-3.0-or-later
// The shows of a lecture as they are presented: in a hall, on a wall of screens, on a small projector.
#include "tests/show/played_show.h"

using namespace lhrs::gui;

class PresentedShowTest : public QObject {
    Q_OBJECT
private slots:
    void theShowIsWellTold_data();
    void theShowIsWellTold() { playShow(); }
};

void PresentedShowTest::theShowIsWellTold_data()
{
    addShowColumns();
    const auto row = [](const char* file, const char* where, QSize size) {
        QTest::newRow(qPrintable(QString("%1 %2").arg(file, where))) << QString(file) << size << true << QStringList();
    };
    for (const char* file : kShows)
        row(file, "in a hall", { 1920, 1080 });
    row("demo.js", "on a wall", { 3840, 2160 });
    row("demo.js", "on a small projector", { 1280, 720 });
}

int main(int count, char** arguments) { return runOffscreen<PresentedShowTest>(count, arguments); }
#include "tst_presented_show.moc"
