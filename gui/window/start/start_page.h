// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/start/recent_recordings.h"
#include "gui/window/start/scenario_cards.h"
#include "gui/window/start/start_form.h"

class QScrollArea;
class QStackedWidget;

namespace lhrs::gui {

class FlowLayout;

// The window without a cluster: entries for a first look, the tour, lectures, exercises, free play, experiments and
// recordings. The many parameters of free play are behind one button.
class StartPage : public QWidget {
    Q_OBJECT
public:
    static constexpr int kTourStops = 8;

    // `systems`: what free play can start.
    explicit StartPage(const QString& scenarioDirectory, SystemsToStart systems, QWidget* parent = nullptr);

    // The form with the parameters that free play starts with.
    StartForm& form() { return *m_form; }
    LocalOptions localOptions() const { return m_form->localOptions(); }
    SimulatedOptions simulatedOptions() const { return m_form->simulatedOptions(); }
    std::uint32_t recordBytes() const { return m_form->recordBytes(); }
    std::uint32_t clients() const { return m_form->clients(); }
    QString objection() const { return m_form->objection(); }
    // Restores the page of the last session; and remembers it for the next one.
    void recall(const Remembered& remembered);
    void keep(Remembered& remembered) const;

    const RecentRecordings& recordings() const { return m_recordings; }
    void noteRecording(const RecentRecording& recording);
    // Whether a tour is offered; and the stop where it was left, 0: it was not begun, or was finished.
    void setTourThere(bool on);
    void setTourLeft(int stop);
    void showForm(bool on);
    bool showsForm() const;
    void setTheme(const Theme& theme);
    // Shown above everything: why the last attempt failed, or what is in progress.
    void setStatus(const QString& words, bool isTrouble);
    void setBusy(bool on);

signals:
    void localWanted();
    void simulatedWanted();
    void connectWanted(const QString& address);
    // `isFirst`: on a simulated cluster, for a person who has never seen one.
    void scenarioWanted(const QString& path, bool isFirst);
    void tourWanted();
    void recordingWanted(const QString& path);
    void openRecordingWanted();
    void recordingsChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeFirst(const QString& scenarioDirectory);
    CardSection* makeSection(const char* id, const QString& heading, const QString& sentence);
    void fillScenarios(
        CardSection& section, const std::vector<ScenarioFile>& files, const QString& nothing, bool isMeasured);
    void makeFreePlay();
    void makeRecordings();
    void showFreePlay();
    void showRecordings();
    void placeSections();
    void go(const Card& from, int key);

    StartForm* m_form;
    RecentRecordings m_recordings;
    Theme m_theme;
    QStackedWidget* m_stack;
    QScrollArea* m_scroll;
    QWidget* m_inside;
    QLabel *m_status, *m_title, *m_intro;
    QPushButton *m_first, *m_tour, *m_toExercises, *m_parameters, *m_open, *m_forget;
    std::vector<QLabel*> m_belowFirst;
    QString m_firstWords, m_tourWords;
    std::vector<CardSection*> m_sections;
    CardSection *m_exercises, *m_freePlay, *m_recent;
    Card *m_live = nullptr, *m_simulated = nullptr, *m_running = nullptr;
    bool m_isBusy = false;
};

} // namespace lhrs::gui
