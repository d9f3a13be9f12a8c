// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/script/scenario_file.h"
#include "gui/lab/replay/unsaved_store.h"
#include "gui/view/time/frame_clock.h"
#include "gui/view/editor/script_edit.h"
#include "gui/window/player/play_panel.h"

#include <QTimer>
#include <QWidget>

#include <functional>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;

namespace lhrs::gui {

class Actions;
class FindBar;
class Player;

// The scenario as text: its file, its editor, and the buttons that play it. When the person stops typing, the text is
// checked, and handed to the player if it is a program. Unsaved text is kept against a crash until it is saved in its
// file.
class EditorPanel : public QWidget, public FrameView {
    Q_OBJECT
public:
    struct Places {
        QString scenarios; // the scenarios that came with the program
        QString unsaved; // where unsaved text is kept; empty: nowhere
    };
    EditorPanel(Player& player, Actions& actions, const Places& places, QWidget* parent = nullptr);
    ~EditorPanel() override; // keeps unsaved text

    // ---- the file (editor_file.cpp)
    // Shows the file in place of the present text. False: it cannot be read, and the panel says so.
    bool open(const QString& path);
    // Begins a new scenario. `lines`: an example, which becomes a comment.
    void newText(const QStringList& lines);
    bool save();
    bool saveAs();
    // Saves without asking for a name.
    bool saveTo(const QString& path);
    void revert();
    bool isChanged() const;
    bool hasText() const { return !m_edit->document()->isEmpty(); }
    const QString& path() const { return m_path; }
    QString fileName() const;
    // Asks what to do with unsaved changes. False: the present text stays.
    bool mayReplace();
    // The unsaved text is no longer wanted.
    void forgetUnsaved();
    // Whether there are texts of windows that ended without saving them.
    bool hasLeft() { return !m_store.left().empty(); }

    // ---- the run
    // Gives the newest text to the player; returns why it cannot run, as a sentence.
    QString prepareRun();
    void runToCursor();
    void insertRecorded(const QString& line);
    bool refresh(double seconds) override;

    // Goes to the line with the error.
    void showProblem();
    void openFind();
    void setTheme(const Theme& theme);
    ScriptEdit& edit() { return *m_edit; }
    PlayPanel& side() { return *m_side; }
    // The words of the row above the text and of the line below it.
    QString banner() const;
    QString words() const;

signals:
    void fileChanged(); // another file, another name, or saved or unsaved

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Offer {
        QString words;
        std::function<void()> act;
    };
    QPushButton* button(Actions& actions, const char* id, const QString& words, Glyph glyph = Glyph::None);
    void say(const QString& words, std::vector<Offer> offers = {});
    void take(const ScenarioText& text, const QString& path);
    void replaceText(const QString& text);
    bool write(const QString& path);
    QString placeForCopy() const;
    void checkDisk();
    void makeRoom();
    void offerLeft();
    void bringBack(const UnsavedText& text);
    void rest();
    void showFile();
    void showWords();
    void setBreakpoints();

    Player& m_player;
    const Places m_places;
    UnsavedStore m_store;
    ScriptEdit* m_edit;
    PlayPanel* m_side;
    FindBar* m_find;
    QLabel *m_file, *m_banner, *m_words;
    QWidget *m_bar, *m_bannerRow;
    std::vector<QPushButton*> m_offers;
    std::vector<std::pair<QPushButton*, Glyph>> m_faces;
    QTimer m_idle;
    Theme m_theme;

    QString m_path, m_savedText, m_storeTrouble;
    QStringList m_example; // in a new scenario
    bool m_hasCrLf = false, m_hasBom = false;
    QByteArray m_digest, m_digestAsked; // of the file as read; of the disk's file that was asked about
    std::optional<QString> m_runText; // of the run that the marks refer to
    LineNote m_problem, m_unknown; // a syntax error; an unknown word of lab, which only the run can judge
    bool m_hasCalls = false, m_hadText = false;
    int m_runTo = 0; // a breakpoint that is used once
    std::optional<std::uint64_t> m_version; // of the run that is shown; nothing: read it again
    std::uint64_t m_rows = 0;
    double m_time = 0, m_shownAt = -1;
};

} // namespace lhrs::gui
