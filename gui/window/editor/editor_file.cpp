// SPDX-License-Identifier: GPL-3.0-or-later
// The file of the editor: opening, saving, changes on the disk since then, and texts that a crash has left.
#include "gui/window/editor/editor_panel.h"

#include "gui/window/player/player.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>

namespace lhrs::gui {

namespace {

// The head of a new scenario, and the lines as a comment.
QString beginningWith(const QStringList& lines)
{
    QString text = QStringLiteral("// scenarios/mine.js   @title My scenario   @minutes 3   @needs 8 processes\n");
    for (const QString& line : lines)
        text += QStringLiteral("// %1\n").arg(line);
    return text + QLatin1Char('\n');
}

} // namespace

QString EditorPanel::fileName() const { return m_path.isEmpty() ? tr("new scenario") : QFileInfo(m_path).fileName(); }

bool EditorPanel::isChanged() const { return m_edit->document()->isModified() && m_edit->text() != m_savedText; }

void EditorPanel::take(const ScenarioText& text, const QString& path)
{
    m_path = path;
    m_savedText = text.text;
    m_hasCrLf = text.hasCrLf;
    m_hasBom = text.hasBom;
    m_digest = m_digestAsked = text.digest;
    m_runText.reset();
    m_runTo = 0;
    m_edit->setText(text.text);
    m_side->clear();
    say(text.remark);
    rest();
    showFile();
}

bool EditorPanel::open(const QString& path)
{
    const auto read = readScenario(path);
    if (!read) {
        say(QString::fromStdString(read.error().text));
        return false;
    }
    take(*read, path);
    return true;
}

void EditorPanel::newText(const QStringList& lines)
{
    m_example = lines;
    take({ beginningWith(lines), false, false, {}, {} }, {});
    m_edit->moveCursor(QTextCursor::End);
    m_edit->setFocus();
}

void EditorPanel::revert()
{
    const auto read = m_path.isEmpty()
        ? Result<ScenarioText>(ScenarioText { beginningWith(m_example), false, false, {}, {} })
        : readScenario(m_path);
    if (!read) {
        say(QString::fromStdString(read.error().text));
        return;
    }
    m_savedText = read->text;
    m_digest = m_digestAsked = read->digest;
    replaceText(read->text); // undo leads back to the present text
    m_edit->document()->setModified(false);
    rest();
}

// Replaces the text as one change, which can be undone.
void EditorPanel::replaceText(const QString& text)
{
    QTextCursor all(m_edit->document());
    all.select(QTextCursor::Document);
    all.insertText(text);
    m_edit->moveCursor(QTextCursor::Start);
}

// ---- saving

bool EditorPanel::save()
{
    if (m_path.isEmpty())
        return saveAs();
    if (const QString why = whyReadOnly(m_path, m_places.scenarios); !why.isEmpty()) {
        if (!saveAs())
            return false;
        say(tr("%1, so this is a copy: %2.").arg(why, m_path));
        return true;
    }
    if (const QByteArray now = digestOfFile(m_path); !now.isEmpty() && now != m_digest) {
        m_digestAsked.clear();
        checkDisk();
        return false;
    }
    return write(m_path);
}

bool EditorPanel::saveAs()
{
    const QString why = m_path.isEmpty() ? QString() : whyReadOnly(m_path, m_places.scenarios);
    QFileDialog dialog(this, why.isEmpty() ? tr("Save the scenario") : tr("Save a copy: %1").arg(why), placeForCopy(),
        tr("Scenarios (*.js)"));
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(QStringLiteral("js"));
    dialog.selectFile(m_path.isEmpty() ? QStringLiteral("mine.js")
            : why.isEmpty()            ? fileName()
                                       : tr("my-%1").arg(fileName()));
    return dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty()
        && write(dialog.selectedFiles().constFirst());
}

// The folder of the file, if it is writable and not the folder of the supplied scenarios; else the home directory.
QString EditorPanel::placeForCopy() const
{
    const QFileInfo folder(QFileInfo(m_path).absolutePath());
    const bool isOwn = !m_path.isEmpty() && folder.isWritable()
        && folder.canonicalFilePath() != QFileInfo(m_places.scenarios).canonicalFilePath();
    return isOwn ? folder.absoluteFilePath() : QDir::homePath();
}

bool EditorPanel::saveTo(const QString& path) { return write(path); }

bool EditorPanel::write(const QString& path)
{
    const QString text = m_edit->text();
    const auto digest = writeScenario(path, text, m_hasCrLf, m_hasBom);
    if (!digest) {
        say(QString::fromStdString(digest.error().text),
            { { tr("Save elsewhere …"), [this] { saveAs(); } }, { tr("Not now"), [] {} } });
        return false;
    }
    m_path = path;
    m_savedText = text;
    m_digest = m_digestAsked = *digest;
    m_edit->document()->setModified(false);
    say({});
    rest();
    showFile();
    return true;
}

bool EditorPanel::mayReplace()
{
    if (!isChanged())
        return true;
    QMessageBox box(QMessageBox::Question, tr("Unsaved scenario"),
        tr("%1 has unsaved changes. Save them?").arg(fileName()),
        QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, this);
    box.setDefaultButton(QMessageBox::Save);
    box.setEscapeButton(QMessageBox::Cancel);
    const int answer = box.exec();
    return answer == QMessageBox::Discard || (answer == QMessageBox::Save && save());
}

void EditorPanel::forgetUnsaved()
{
    m_idle.stop();
    m_edit->document()->setModified(false);
    m_store.forget();
}

EditorPanel::~EditorPanel()
{
    if (m_idle.isActive() && isChanged())
        m_store.keep({ m_path, m_edit->text(), m_hasCrLf, m_hasBom, m_digest, {}, {} });
}

// ---- what is on the disk

void EditorPanel::checkDisk()
{
    if (m_path.isEmpty())
        return;
    const QByteArray now = digestOfFile(m_path);
    if (now.isEmpty() || now == m_digest || now == m_digestAsked)
        return; // the file is gone or unchanged, or the change was reported already
    m_digestAsked = now;
    say(isChanged()
            ? tr("%1 has changed on the disk since it was opened here, and it was changed here, too.").arg(fileName())
            : tr("%1 has changed on the disk since it was opened here.").arg(fileName()),
        { { tr("Show that text"), [this] { open(m_path); } }, { tr("Save this one"), [this] { write(m_path); } },
            { tr("Not now"), [] {} } });
}

// ---- what a crash has left

void EditorPanel::offerLeft()
{
    if (m_store.left().empty() || isChanged())
        return;
    const UnsavedText& text = m_store.left().front();
    const QString name = text.path.isEmpty() ? tr("a new scenario") : QFileInfo(text.path).fileName();
    const QString when = QLocale::c().toString(text.keptAt.toLocalTime(), QStringLiteral("yyyy-MM-dd HH:mm"));
    say(tr("A window ended without saving its text: %1, %2.").arg(name, when),
        { { tr("Bring it back"), [this] { bringBack(UnsavedText(m_store.left().front())); } },
            { tr("Throw it away"),
                [this] {
                    m_store.drop(UnsavedText(m_store.left().front()));
                    offerLeft();
                } },
            { tr("Not now"), [] {} } });
}

void EditorPanel::bringBack(const UnsavedText& text)
{
    if (!mayReplace())
        return;
    // The restored text is compared with the file as it is on the disk now.
    ScenarioText saved { {}, text.hasCrLf, text.hasBom, text.digest, {} };
    if (const auto read = text.path.isEmpty() ? Result<ScenarioText>(Error {}) : readScenario(text.path))
        saved.text = read->text;
    take(saved, text.path);
    replaceText(text.text);
    rest(); // keeps the text again, now as one of this window
    m_store.drop(text);
    checkDisk();
}

// ---- its name

void EditorPanel::showFile()
{
    const QString why = m_path.isEmpty() ? QString() : whyReadOnly(m_path, m_places.scenarios);
    const bool isChangedNow = m_edit->document()->isModified();
    const QString name = m_theme.metrics({ TextSize::Small, true })
                             .elidedText(fileName(), Qt::ElideMiddle, m_theme.px(240));
    m_file->setText(isChangedNow ? tr("● %1, not saved").arg(name)
            : why.isEmpty()      ? name
                                 : tr("%1, a copy is saved").arg(name));
    m_file->setToolTip(why.isEmpty() ? m_path : tr("%1: %2, so saving makes a copy.").arg(m_path, why));
    emit fileChanged();
}

} // namespace lhrs::gui
