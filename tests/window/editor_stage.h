// SPDX-License-Identifier: GPL-3.0-or-later
// A window in which a scenario is written and run. The scenarios need no cluster, so there is none.
#pragma once

#include "tests/rigs/gui/view_stage.h"
#include "tests/rigs/gui/window_part.h"

#include "gui/window/editor/editor_panel.h"
#include "gui/window/main/main_window.h"

#include <QComboBox>
#include <QFile>
#include <QPushButton>

namespace lhrs::gui {

inline constexpr int kPatience = 20'000;

// A window with some text in the editor.
struct Desk {
    explicit Desk(const QString& unsaved = {})
        : window([&] {
              MainWindow::Options o;
              o.theme = MainWindow::ThemeChoice::Light;
              o.scenarioDirectory = QStringLiteral(LHRS_SOURCE_DIR "/scenarios");
              o.unsavedDirectory = unsaved;
              return o;
          }())
    {
        // The script ends before the window has learned it, and only then is its recording complete.
        QObject::connect(&window.player(), &Player::runningChanged, &window, [this](bool runs) { plays = runs; });
        window.show();
        window.setWorkspace(MainWindow::Workspace::Write);
        edit.setFocus();
        window.activateWindow();
        isActive = QTest::qWaitForWindowActive(&window); // otherwise no key reaches an action
    }
    // Scenarios that differ only in their calls: captions cost no time.
    void write(const QString& text)
    {
        edit.selectAll();
        edit.insertPlainText(text);
        window.director().setSpeed(Director::kInstant);
    }
    void press(Qt::Key key, Qt::KeyboardModifiers with = {}) { QTest::keyClick(&edit, key, with); }
    bool stands(int line)
    {
        return QTest::qWaitFor(
            [&] { return edit.runMarks().isHeld && window.player().isHeld() && edit.currentLine() == line; },
            kPatience);
    }
    bool ends()
    {
        return QTest::qWaitFor(
            [&] { return !plays && !window.player().run().isRunning() && !edit.runMarks().isRunning; }, kPatience);
    }
    QStringList said()
    {
        QStringList words;
        for (const StoryLine& line : window.player().story().lines())
            words << line.text;
        return words;
    }
    void click(const char* id) { window.findChild<QPushButton*>(id)->click(); }

    bool isActive = false, plays = false;
    MainWindow window;
    EditorPanel& editor = part<EditorPanel>(window);
    ScriptEdit& edit = editor.edit();
};

inline QByteArray bytesIn(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

inline bool put(const QString& path, const QByteArray& bytes)
{
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace lhrs::gui
