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

// The scenario as text: its file, its editor, the buttons that play it. What is written is checked when the hands rest, handed
// to the player when it is a program, and kept against a crash until it is in its file.
class EditorPanel : public QWidget, public FrameView {
    Q_OBJECT
public:
    struct Places {
        QString scenarios; // those that came with the program
        QString unsaved;   // where unsaved text is kept; empty: nowhere
    };
    EditorPanel(Player& player, Actions& actions, const Places& places, QWidget* parent = nullptr);
    ~EditorPanel() override; // what is not saved is kept

    // ---- the file (editor_file.cpp)
    // Shows it, in place of what was there. False: it cannot be read, which is said.
    bool open(const QString& path);
    void newText();
    bool save();
    bool saveAs();
    // Without asking for a name.
    bool saveTo(const QString& path);
    void revert();
    bool isChanged() const;
    bool hasText() const { return !m_edit->document()->isEmpty(); }
    const QString& path() const { return m_path; }
    QString fileName() const;
    // Asks what to do with changes that are in no file. False: stay.
    bool mayReplace();
    // What is not saved is not wanted any more.
    void forgetUnsaved();
    // Texts of windows that are gone without having saved them.
    bool hasLeft() { return !m_store.left().empty(); }

    // ---- the run
    // Gives the player the newest text; why it cannot run, in a sentence.
    QString prepareRun();
    void runToCursor();
    void insertRecorded(const QString& line);
    bool refresh(double seconds) override;

    // Goes to the line that is no program.
    void showProblem();
    void openFind();
    void setTheme(const Theme& theme);
    ScriptEdit& edit() { return *m_edit; }
    PlayPanel& side() { return *m_side; }
    // What the row above and the line below the text say.
    QString banner() const;
    QString words() const;

signals:
    void fileChanged(); // another one, or its name, or whether it is saved

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
    bool m_hasCrLf = false, m_hasBom = false;
    QByteArray m_digest, m_digestAsked; // of the file as it was read; of that on the disk about which was asked
    std::optional<QString> m_runText;   // of the run that the marks are of
    LineNote m_problem, m_unknown; // no program; a word of lab that is none, which only the run can judge
    bool m_hasCalls = false, m_hadText = false;
    int m_runTo = 0; // a breakpoint for once
    std::optional<std::uint64_t> m_version; // of the run that is shown; nothing: look again
    std::uint64_t m_rows = 0;
    double m_time = 0, m_shownAt = -1;
};

} // namespace lhrs::gui
