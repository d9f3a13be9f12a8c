// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of a show, one a second of its time, for somebody who wants to watch it: LHRS_SHOW_FRAMES names a folder for them, and
// LHRS_SHOW_LOOK has "dark" or "hall" (in front of one, at 1920x1080) in it where they are to look so.
#pragma once

#include "gui/window/main/main_window.h"

#include <QCoreApplication>
#include <QDir>
#include <QPixmap>
#include <QString>

namespace lhrs::gui {

class ShowFrames {
public:
    ShowFrames(MainWindow& window, const QString& show)
        : m_window(window), m_folder(qEnvironmentVariable("LHRS_SHOW_FRAMES"))
    {
        if (!m_folder.isEmpty())
            m_folder += QLatin1Char('/') + QString(show).replace(QLatin1Char(' '), QLatin1Char('_'));
    }
    static bool isDark() { return qEnvironmentVariable("LHRS_SHOW_LOOK").contains(QLatin1String("dark")); }
    static bool isInHall() { return qEnvironmentVariable("LHRS_SHOW_LOOK").contains(QLatin1String("hall")); }

    // A frame has been made. False: its picture cannot be written.
    bool look(double seconds)
    {
        m_played += seconds;
        if (m_folder.isEmpty())
            return true;
        // Replies of the cluster come, and what has changed gets its place, as in a window that somebody looks at.
        QCoreApplication::processEvents();
        if (m_played < double(m_count))
            return true;
        const QString name = QStringLiteral("%1/%2.png").arg(m_folder).arg(++m_count, 4, 10, QLatin1Char('0'));
        return QDir().mkpath(m_folder) && m_window.grab().save(name);
    }

private:
    MainWindow& m_window;
    QString m_folder;
    double m_played = 0;
    int m_count = 0;
};

} // namespace lhrs::gui
