// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/sweep.h"

#include "gui/lab/tables/lab_table.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>
#include <set>

namespace lhrs::gui {

namespace {

constexpr std::size_t kRunsMax = 100'000; // of a sweep
const QString kSeed = "seed";

Error refusal(const QString& sentence) { return Error { sentence.toStdString() }; }

// "5", "word", or "1..10 step 3": 1, 4, 7, 10.
Result<QStringList> valuesOf(const QString& name, const QString& text)
{
    static const QRegularExpression kRange("^(-?\\d+)\\.\\.(-?\\d+)(?:\\s+step\\s+(\\d+))?$");
    QStringList values;
    for (const QString& part : text.split(',')) {
        const QString value = part.trimmed();
        if (value.isEmpty())
            return refusal(
                "The parameter " + name + " of the sweep has an empty value; write for example " + name + "=5,50,500.");
        const auto range = kRange.match(value);
        if (!range.hasMatch()) {
            values << value;
            continue;
        }
        const qint64 first = range.captured(1).toLongLong(), last = range.captured(2).toLongLong();
        const qint64 step = range.captured(3).isEmpty() ? 1 : range.captured(3).toLongLong();
        if (last < first || step < 1 || std::uint64_t(last - first) / std::uint64_t(step) >= kRunsMax)
            return refusal(QString("%1=%2: a range goes up from a number to another one, such as 1..10 or 10..50 step "
                                   "20, and has at most %3 values.")
                               .arg(name, value)
                               .arg(kRunsMax));
        for (qint64 number = first; number <= last; number += step)
            values << QString::number(number);
    }
    return values;
}

bool isParameter(const QString& name)
{
    static const QRegularExpression kName("^[A-Za-z_$][A-Za-z0-9_$]*$");
    return kName.match(name).hasMatch();
}

} // namespace

Result<Sweep::Factor> factorOf(const QString& text)
{
    const QString name = text.section('=', 0, 0).trimmed();
    if (!text.contains('=') || !isParameter(name))
        return refusal(
            "'" + text.left(80) + "' is not a parameter with values; write NAME=VALUE,VALUE or NAME=FIRST..LAST.");
    auto values = valuesOf(name, text.section('=', 1));
    if (!values)
        return values.error();
    return Sweep::Factor { name, *values };
}

Result<std::vector<Sweep>> declaredSweeps(const QString& scenarioText)
{
    static const QRegularExpression kSweep("^//\\s*@sweep\\s+(\\S+)\\s*(.*)$"),
        kFactor("([^\\s=]+)=(\\S*(?:\\s+step\\s+\\d+)?)");
    std::vector<Sweep> sweeps;
    int number = 0;
    for (const QString& line : scenarioText.split('\n')) {
        ++number;
        const QString text = line.trimmed();
        if (!text.startsWith("//"))
            break;
        const auto match = kSweep.match(text);
        if (!match.hasMatch())
            continue;
        Sweep sweep { match.captured(1), {} };
        QString rest = match.captured(2);
        for (auto it = kFactor.globalMatch(match.captured(2)); it.hasNext();) {
            const QString factor = it.next().captured(0);
            auto made = factorOf(factor);
            if (!made)
                return refusal(QString("Line %1, @sweep %2: %3")
                                   .arg(number)
                                   .arg(sweep.name, QString::fromStdString(made.error().text)));
            sweep.factors.push_back(*made);
            rest.remove(factor);
        }
        if (sweep.factors.empty() || !rest.trimmed().isEmpty() || sweep.name.contains('='))
            return refusal(
                QString("Line %1: write a sweep as // @sweep NAME parameter=VALUE,VALUE parameter=FIRST..LAST.")
                    .arg(number));
        sweeps.push_back(std::move(sweep));
    }
    return sweeps;
}

Result<std::vector<Sweep>> sweepsOfJson(const QByteArray& text, const QString& path)
{
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(text, &problem);
    if (!document.isObject())
        return refusal(path + " is not a list of sweeps ("
            + (document.isNull() ? problem.errorString() : QString("not an object"))
            + "); write {\"sizes\": {\"records\": [5, 50, 500], \"seed\": \"1..3\"}}.");
    std::vector<Sweep> sweeps;
    const QJsonObject all = document.object();
    for (auto sweep = all.begin(); sweep != all.end(); ++sweep) {
        Sweep made { sweep.key(), {} };
        const QJsonObject factors = sweep.value().toObject();
        for (auto factor = factors.begin(); factor != factors.end(); ++factor) {
            QStringList values;
            for (const QJsonValue& value : factor.value().toArray())
                values << cellText(value.toVariant());
            if (factor.value().isString()) {
                const auto ranged = valuesOf(factor.key(), factor.value().toString());
                if (!ranged)
                    return refusal(
                        path + ", sweep " + sweep.key() + ": " + QString::fromStdString(ranged.error().text));
                values = *ranged;
            }
            if (values.isEmpty() || !isParameter(factor.key()))
                return refusal(path + ", sweep " + sweep.key() + ": the parameter " + factor.key()
                    + " needs a list of values, or a text such as \"1..10\".");
            made.factors.emplace_back(factor.key(), values);
        }
        if (made.factors.empty())
            return refusal(path + ": the sweep " + sweep.key() + " has no parameters.");
        sweeps.push_back(std::move(made));
    }
    return sweeps;
}

Result<std::vector<SweepRun>> Sweep::runs(const std::map<QString, QString>& sets, std::uint64_t seed) const
{
    std::vector<SweepRun> runs { { 0, sets, seed, {} } };
    std::set<QString> names;
    for (const auto& [parameter, values] : factors) {
        if (!names.insert(parameter).second || sets.contains(parameter))
            return refusal("The parameter " + parameter
                + " is given twice; a sweep has one list of values for it, and --set none.");
        if (std::size_t(values.size()) > kRunsMax / runs.size())
            return refusal(QString("The sweep has more than %1 runs.").arg(kRunsMax));
        std::vector<SweepRun> next;
        for (const SweepRun& before : runs)
            for (const QString& value : values) {
                SweepRun run = before;
                bool isNumber = true;
                if (parameter == kSeed)
                    run.seed = value.toULongLong(&isNumber);
                else
                    run.sets[parameter] = value;
                if (!isNumber)
                    return refusal("seed=" + value + ": a seed is a number from 0 to 2^64 - 1.");
                run.shown += (run.shown.isEmpty() ? "" : " ") + parameter + "=" + value;
                next.push_back(std::move(run));
            }
        runs = std::move(next);
    }
    for (std::size_t i = 0; i < runs.size(); ++i)
        runs[i].number = int(i);
    return runs;
}

Result<std::vector<int>> runNumbers(const QString& text, int count)
{
    const auto numbers = valuesOf("--run", text);
    if (!numbers)
        return refusal("--run " + text + ": write a number of --runs, or several, such as 0..3,7.");
    std::vector<int> runs;
    for (const QString& one : *numbers) {
        bool isNumber = false;
        const int number = one.toInt(&isNumber);
        if (!isNumber)
            return refusal("--run " + text + ": write a number of --runs, or several, such as 0..3,7.");
        if (number < 0 || number >= count)
            return refusal(
                QString("--run %1: the sweep has the runs 0 to %2; --runs lists them.").arg(one).arg(count - 1));
        if (std::find(runs.begin(), runs.end(), number) == runs.end())
            runs.push_back(number);
    }
    return runs;
}

} // namespace lhrs::gui
