// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/start/recent_recordings.h"

#include "gui/window/widgets/remembered.h"

#include <QDateTime>
#include <QFileInfo>

namespace lhrs::gui {

namespace {

QString recentKey(std::size_t number, const char* what)
{
    return QStringLiteral("recordings/%1-%2").arg(number + 1).arg(QLatin1String(what));
}

} // namespace

bool RecentRecording::isThere() const { return QFileInfo(path).isFile(); }

QString RecentRecording::date() const
{
    const QDateTime time = QDateTime::fromString(began, Qt::ISODateWithMs);
    return time.isValid() ? time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd hh:mm")) : QString();
}

void RecentRecordings::add(const RecentRecording& recording)
{
    std::erase_if(m_all, [&](const RecentRecording& known) { return known.path == recording.path; });
    m_all.insert(m_all.begin(), recording);
    if (m_all.size() > kMost)
        m_all.resize(kMost);
}

void RecentRecordings::forgetMissing()
{
    std::erase_if(m_all, [](const RecentRecording& known) { return !known.isThere(); });
}

void RecentRecordings::recall(const Remembered& remembered)
{
    m_all.clear();
    for (std::size_t number = 0; number < kMost; ++number) {
        RecentRecording found;
        found.path = remembered.text(recentKey(number, "path"), {});
        found.began = remembered.text(recentKey(number, "began"), {});
        found.scenario = remembered.text(recentKey(number, "scenario"), {});
        found.isSimulated = remembered.flag(recentKey(number, "simulated"), false);
        if (QFileInfo(found.path).isAbsolute())
            m_all.push_back(found);
    }
}

void RecentRecordings::keep(Remembered& remembered) const
{
    for (std::size_t number = 0; number < kMost; ++number) {
        const RecentRecording known = number < m_all.size() ? m_all[number] : RecentRecording {};
        remembered.keep(recentKey(number, "path"), known.path);
        remembered.keep(recentKey(number, "began"), known.began);
        remembered.keep(recentKey(number, "scenario"), known.scenario);
        remembered.keep(recentKey(number, "simulated"), known.isSimulated ? QStringLiteral("true") : QString());
    }
}

} // namespace lhrs::gui
