// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/time/free_processors.h"

#include <QFile>
#include <QList>

namespace lhrs::gui {

namespace {

constexpr double kScarce = 0.10, kFree = 0.25; // share of the time of all processors
constexpr std::uint64_t kLeastTicks = 20; // of 10 ms, over all processors: fewer are not significant
constexpr int kIdleField = 4, kWaitField = 5, kLastField = 8; // user nice system idle iowait irq softirq steal

} // namespace

std::optional<ProcessorTime> ProcessorTime::read(const QByteArray& text)
{
    const QList<QByteArray> fields = text.split('\n').first().simplified().split(' ');
    if (fields.size() <= kLastField || fields[0] != "cpu")
        return std::nullopt;
    ProcessorTime time;
    for (int i = 1; i <= kLastField; ++i) {
        bool isNumber = false;
        const std::uint64_t ticks = fields[i].toULongLong(&isNumber);
        if (!isNumber)
            return std::nullopt;
        time.all += ticks;
        if (i == kIdleField || i == kWaitField)
            time.idle += ticks;
    }
    return time;
}

std::optional<ProcessorTime> ProcessorTime::now()
{
    QFile file(QStringLiteral("/proc/stat"));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    return read(file.readLine());
}

void FreeProcessors::take(const ProcessorTime& now)
{
    if (!m_before || now.all < m_before->all || now.idle < m_before->idle) {
        m_before = now;
        return;
    }
    const std::uint64_t passed = now.all - m_before->all;
    if (passed < kLeastTicks)
        return;
    const double free = double(now.idle - m_before->idle) / double(passed);
    m_areScarce = free < (m_areScarce ? kFree : kScarce);
    m_before = now;
}

} // namespace lhrs::gui
