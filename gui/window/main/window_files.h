// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/parts/window_parts.h"

class QMimeData;

namespace lhrs::gui {

class WindowGuide;
class WindowTour;
class WindowReel;
class WindowStart;
class WindowTime;
class WindowWrite;

// The files that the window opens: scenarios, which it begins, and recordings, which it shows.
class WindowFiles : public WindowSubject {
    Q_OBJECT
public:
    // `subjects`: all of them; a scenario and a recording are told to each.
    WindowFiles(WindowParts& parts, const std::vector<WindowSubject*>& subjects, WindowStart& start);
    // Before the first file: what is opened in these, and asked about.
    void meet(WindowWrite& write, WindowGuide& guide, WindowTour& tour, WindowTime& time, WindowReel& reel);

    void build() override;
    void enable() override;

    // Loads the scenario; `isStarted`: its cluster starts, and it stops before the first step. False: the file cannot
    // be read, which is displayed, or it is not a valid program, and the editor shows it with the line of the error.
    bool openScenario(const QString& path, bool isStarted) { return open(path, isStarted, false); }
    // Shows a recorded run, paused at its beginning. Returns an error as a sentence, which the window shows too.
    QString openRecording(const QString& path);
    void closeRecording();
    // Opens a recording or a scenario, by what the file is.
    void openFile(const QString& path);
    // The recording that was opened last.
    const QString& recordingPath() const { return m_recordingPath; }
    // Asks what to do with a run that would be lost. False: stay.
    bool mayForgetRun();
    // The single file that is dragged over the window, if it is a recording or a scenario; empty: there is none.
    static QString dragged(const QMimeData& data);

signals:
    // A recording is shown, or the live run again.
    void runShown();

private:
    bool open(const QString& path, bool isStarted, bool isFirst);
    void sayNotOpened(const QString& problem);

    const std::vector<WindowSubject*>& m_subjects;
    WindowStart& m_start;
    WindowWrite* m_write = nullptr;
    WindowGuide* m_guide = nullptr;
    WindowTour* m_tour = nullptr;
    WindowTime* m_time = nullptr;
    WindowReel* m_reel = nullptr;
    QString m_recordingPath;
};

} // namespace lhrs::gui
