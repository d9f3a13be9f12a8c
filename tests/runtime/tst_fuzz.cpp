// SPDX-License-Identifier: GPL-3.0-or-later
// A short run of the fuzz targets: their seeds, inputs that once ended a process (tests/fuzz/corpus), and some
// mutations. For a longer run: ./run test fuzz NAME --minutes T
#include "common/protobuf_text.h"
#include "tests/fuzz/targets.h"

#include <QDir>
#include <QFile>
#include <QTest>

using namespace lhrs::fuzz;

class FuzzTest : public QObject {
    Q_OBJECT
private slots:
    void noInputEndsTheProcess_data();
    void noInputEndsTheProcess();
};

void FuzzTest::noInputEndsTheProcess_data()
{
    QTest::addColumn<int>("target");
    for (std::size_t i = 0; i < targets().size(); ++i)
        QTest::newRow(targets()[i].name) << int(i);
}

void FuzzTest::noInputEndsTheProcess()
{
    QFETCH(int, target);
    lhrs::takeProtobufLog({}); // no log of unparsable texts
    const Target& tried = targets()[std::size_t(target)];
    std::vector<std::string> inputs = tried.seeds();
    const QDir corpus(QString(LHRS_SOURCE_DIR "/tests/fuzz/corpus/") + tried.name);
    for (const QString& name : corpus.entryList(QDir::Files)) {
        QFile file(corpus.filePath(name));
        QVERIFY2(file.open(QIODevice::ReadOnly), qPrintable(name));
        inputs.push_back(file.readAll().toStdString());
    }
    for (const std::string& input : inputs)
        tried.run(input);
    Mutator mutator(1);
    for (unsigned i = 0; i < tried.tries; ++i) {
        std::string input = inputs[mutator.below(inputs.size())];
        tried.mutate(input, inputs[mutator.below(inputs.size())], mutator);
        tried.run(input);
    }
}

QTEST_GUILESS_MAIN(FuzzTest)
#include "tst_fuzz.moc"
