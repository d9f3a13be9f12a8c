// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/junit_report.h"

#include "gui/lab/tables/lab_error.h"

#include <QFileInfo>
#include <QXmlStreamWriter>

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr qsizetype kTextMax = 20'000; // letters of a message

// XML 1.0 excludes all but three control characters, single surrogates, and U+FFFE and U+FFFF.
QString xmlText(const QString& text)
{
    QString made;
    for (qsizetype i = 0; i < std::min(text.size(), kTextMax); ++i) {
        const QChar c = text[i];
        if (c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate()) {
            made += c;
            made += text[++i];
            continue;
        }
        const bool isControl = c < u' ' && c != u'\t' && c != u'\n' && c != u'\r';
        made += isControl || c.isSurrogate() || c >= QChar(u'\xfffe') ? QChar(QChar::ReplacementCharacter) : c;
    }
    return made;
}

// The file name without its extension: a dot would begin another class.
QString classOf(const QString& file)
{
    QString name = QFileInfo(file).completeBaseName();
    return name.replace('.', '_');
}

using Case = JUnitReport::Case;

std::size_t countOf(const std::vector<Case>& cases, Case::Kind kind)
{
    return std::size_t(std::count_if(cases.begin(), cases.end(), [&](const Case& one) { return one.kind == kind; }));
}

void writeCase(QXmlStreamWriter& xml, const Case& one)
{
    xml.writeStartElement("testcase");
    xml.writeAttribute("classname", xmlText(one.className));
    xml.writeAttribute("name", xmlText(one.name));
    static constexpr const char* kElements[] = { "", "failure", "error", "skipped" };
    if (one.kind != Case::Kind::Held) {
        xml.writeStartElement(kElements[std::size_t(one.kind)]);
        xml.writeAttribute("message", xmlText(one.message));
        if (!one.type.isEmpty())
            xml.writeAttribute("type", xmlText(one.type));
        if (!one.detail.isEmpty())
            xml.writeCharacters(xmlText(one.detail));
        xml.writeEndElement();
    }
    if (!one.out.isEmpty())
        xml.writeTextElement("system-out", xmlText(one.out));
    xml.writeEndElement();
}

} // namespace

Result<std::unique_ptr<JUnitReport>> JUnitReport::open(const QString& path)
{
    auto report = std::make_unique<JUnitReport>();
    report->m_file = std::make_unique<QSaveFile>(path);
    if (!report->m_file->open(QIODevice::WriteOnly))
        return Error { QString("%1 cannot be written: %2.").arg(path, report->m_file->errorString()).toStdString() };
    return report;
}

void JUnitReport::beginSuite(const QString& name, std::vector<std::pair<QString, QString>> properties)
{
    m_suites.push_back({ name, std::move(properties), {} });
}

void JUnitReport::add(Case one)
{
    LHRS_CHECK(!m_suites.empty());
    m_suites.back().cases.push_back(std::move(one));
}

QByteArray JUnitReport::xml() const
{
    QByteArray bytes;
    QXmlStreamWriter xml(&bytes);
    xml.setAutoFormatting(true);
    xml.setAutoFormattingIndent(2);
    xml.writeStartDocument();
    xml.writeStartElement("testsuites");
    for (const Suite& suite : m_suites) {
        xml.writeStartElement("testsuite");
        xml.writeAttribute("name", xmlText(suite.name));
        xml.writeAttribute("tests", QString::number(suite.cases.size()));
        xml.writeAttribute("failures", QString::number(countOf(suite.cases, Case::Kind::Failed)));
        xml.writeAttribute("errors", QString::number(countOf(suite.cases, Case::Kind::Error)));
        xml.writeAttribute("skipped", QString::number(countOf(suite.cases, Case::Kind::Skipped)));
        xml.writeStartElement("properties");
        for (const auto& [name, value] : suite.properties) {
            xml.writeEmptyElement("property");
            xml.writeAttribute("name", xmlText(name));
            xml.writeAttribute("value", xmlText(value));
        }
        xml.writeEndElement();
        for (const Case& one : suite.cases)
            writeCase(xml, one);
        xml.writeEndElement();
    }
    xml.writeEndElement();
    xml.writeEndDocument();
    return bytes;
}

QString JUnitReport::write()
{
    const QByteArray bytes = xml();
    if (m_file->write(bytes) == bytes.size() && m_file->commit())
        return {};
    return QString("%1 cannot be written: %2.").arg(m_file->fileName(), m_file->errorString());
}

// ---- results of a run

JUnitPrinter::JUnitPrinter(std::FILE* out, JUnitReport& report, const QString& file, const QString& standIn)
    : PlayPrinter(out), m_report(report), m_file(classOf(file)), m_standIn(classOf(standIn))
{
}

QString JUnitPrinter::className() const
{
    const QString script = m_isActing ? m_standIn : m_file;
    return m_step.isEmpty() ? script : script + '.' + QString(m_step).replace('.', '_');
}

void JUnitPrinter::onStep(const QString& id, const QString& title)
{
    m_step = id;
    PlayPrinter::onStep(id, title);
}

void JUnitPrinter::onExpectation(const Expectation& expectation)
{
    Case one { .className = className(), .name = expectation.text };
    if (!expectation.isHeld) {
        one.kind = Case::Kind::Failed;
        one.type = nameOf(LabCode::ExpectationFailed);
        one.message = expectation.detail.isEmpty() ? expectation.text : expectation.text + ": " + expectation.detail;
        one.detail = QString("line %1: %2").arg(expectation.line).arg(one.message);
    }
    m_report.add(std::move(one));
    PlayPrinter::onExpectation(expectation);
}

void JUnitPrinter::onExercise(const ExerciseShown& exercise)
{
    m_exercise = exercise;
    m_isActing = !exercise.isOver;
    m_step.clear();
    PlayPrinter::onExercise(exercise);
}

void JUnitPrinter::end(const ScriptResult& result, const std::vector<InvariantShown>& invariants)
{
    if (m_exercise)
        for (const ExerciseGoal& goal : m_exercise->goals) {
            const QString why = m_exercise->trouble.isEmpty() ? goal.why : m_exercise->trouble;
            Case one { .className = m_file, .name = goal.text };
            if (!m_exercise->isOver || !m_exercise->isJudged) {
                one.kind = Case::Kind::Skipped;
                one.message = "It was not judged, because a script ended with an error.";
            } else if (goal.state == ExerciseGoal::State::Held && m_exercise->trouble.isEmpty()) {
                one.out = why;
            } else {
                one.kind = Case::Kind::Failed;
                one.type = goal.state == ExerciseGoal::State::Failed ? "CanNoLongerHold" : "NotReached";
                one.message = why;
            }
            m_report.add(std::move(one));
        }
    if (result.outcome != ScriptOutcome::Held && result.outcome != ScriptOutcome::ExpectationFailed) {
        const QString type = result.code.isEmpty() ? QString("ScriptError") : result.code;
        m_report.add({ classOf(result.file), "the script runs to its end", Case::Kind::Error, result.message, type,
            result.sentence(), {} });
    }
    for (const InvariantShown& invariant : invariants)
        if (invariant.state == InvariantState::Violated)
            m_report.add({ m_file, "invariant " + QString::fromStdString(invariantName(invariant.number)) + " holds",
                Case::Kind::Failed, QString::fromStdString(invariant.detail), "InvariantViolated", {}, {} });
}

} // namespace lhrs::gui
