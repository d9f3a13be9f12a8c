// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/recording/recording.h"
#include "gui/window/parts/window_parts.h"

#include <memory>

namespace lhrs::gui {

class Recorder;
class RecordingObserver;

// Time: the run is recorded from its first event, its past is shown, and it is saved as a file.
class WindowTime : public WindowSubject {
    Q_OBJECT
public:
    explicit WindowTime(WindowParts& parts);
    ~WindowTime() override;

    void build() override;
    void enable() override;
    void update() override;
    void forget() override;
    void showRun() override;
    void applyTheme() override;
    // How patient the cluster is with a slow machine: of the running cluster or of the recording.
    void addStatus(std::vector<StatusPart>& parts) const override;
    // How large the recording is, or why there is none.
    void addLastStatus(std::vector<StatusPart>& parts) const override;

    // Starts to record; without a path into a temporary file, which is deleted with the window.
    void start(const QString& path);
    void stop();
    // Another listener to what scenarios report, called in their thread; it must outlive the window.
    void setScriptListener(ScriptObserver& listener);
    // Opens the recording up to now for the time line.
    Result<std::unique_ptr<Recording>> openPast();
    void toBeginning();
    // The run has content that has not been saved in a file that a person chose.
    bool hasUnsaved() const;
    // Asks what to do with a run that would be lost. False: stay.
    bool mayForget();
    // The file that a person chose for the recording of the whole run; empty: none.
    QString ownFile() const;
    // Saves the run up to now; an existing file is replaced.
    bool save(const QString& path);

signals:
    // A recording is to be opened. / The one that is shown is to be closed. / The run is in this file.
    void openWanted();
    void closeWanted();
    void saved(const QString& path);

private:
    void playOrPause();
    void showAgain();
    bool askToSave();
    void notePatience();

    std::unique_ptr<Recorder> m_recorder;
    const std::unique_ptr<ScriptObserver> m_silence;
    std::unique_ptr<RecordingObserver> m_recordingObserver;
    QString m_recordPath, m_recordTrouble;
    bool m_recordIsOurs = true; // it is deleted with the window
    std::uint64_t m_workKept = 0; // work in the run when it was saved, or when saving was declined
    std::pair<std::int64_t, unsigned> m_patienceTold; // lateness in ns and time scale as written to the recording
};

} // namespace lhrs::gui
