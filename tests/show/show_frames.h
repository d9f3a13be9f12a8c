// SPDX-License-Identifier: GPL-3.0-or-later
// Pictures of a show, one per second of its time, for manual review. LHRS_SHOW_FRAMES names a folder for them.
// LHRS_SHOW_LOOK may contain "dark" or "hall" (as in front of a hall, at 1920x1080).
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

    // Call after each frame. False: its picture cannot be written.
    bool look(double seconds)
    {
        m_played += seconds;
        if (m_folder.isEmpty())
            return true;
        // Handles replies of the cluster and layout changes, as in a visible window.
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
