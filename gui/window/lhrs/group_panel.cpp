// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/group_panel.h"

#include "gui/view/paint/flow_layout.h"
#include "gui/view/paint/number_box.h"
#include "gui/window/widgets/action_button.h"
#include "gui/window/widgets/actions.h"

#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace lhrs::gui {

GroupPanel::GroupPanel(const Pacer& pacer, ContentsSource& source, WitnessBook& witnesses, Selection& selection,
    Actions& actions, QWidget* parent)
    : QWidget(parent), m_view(new RecordGroupView(pacer, source, witnesses, selection, this)),
      m_scroll(new QScrollArea(this)), m_symbol(new WholeBox(this))
{
    setObjectName(QStringLiteral("groupPanel"));
    m_scroll->setWidget(m_view);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_symbol->setObjectName(QStringLiteral("groupSymbol"));
    m_symbol->setPrefix(tr("symbol "));
    m_symbol->setAccessibleName(tr("Symbol whose arithmetic is shown"));
    m_symbol->setToolTip(tr("The symbol whose arithmetic is shown (Alt+Up, Alt+Down)"));
    m_symbol->setKeyboardTracking(false);
    m_bar = new QWidget(this); // after the view, which gets the focus
    m_bar->setObjectName(QStringLiteral("groupBar"));
    auto* flow = new FlowLayout(m_bar, 3);
    flow->setContentsMargins(4, 4, 4, 2);
    const auto add = [&](const char* id, const QString& words) {
        QPushButton* made = button(actions, id, words);
        flow->addWidget(made);
        return made;
    };
    m_pages = { add("groupUpdate", tr("Update")), add("groupDecode", tr("Decode")),
        add("groupCompare", tr("Compare")) };
    m_back = add("groupBack", QStringLiteral("◀"));
    m_forward = add("groupForward", QStringLiteral("▶"));
    flow->addWidget(m_symbol);
    m_base = add("groupBase", tr("hex"));
    m_other = add("otherSurvivors", tr("Survivors"));
    m_own = add("ownSurvivors", tr("As the nodes"));
    m_target = add("groupTarget", tr("Next member"));
    add("takeWitness", tr("Witness"));
    add("copyGroup", tr("Copy"));
    add("exportGroup", tr("Export"));
    for (const auto& [made, words] : { std::pair(m_back, tr("Step back")), std::pair(m_forward, tr("Step forward")) })
        made->setAccessibleName(words);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_bar);
    column->addWidget(m_scroll, 1);
    setFocusProxy(m_view);
    connect(m_symbol, &QSpinBox::valueChanged, this, [this](int symbol) { m_view->setSymbol(std::size_t(symbol)); });
    connect(m_view, &RecordGroupView::shown, this, &GroupPanel::follow);
    connect(m_scroll->verticalScrollBar(), &QScrollBar::rangeChanged, this, &GroupPanel::showEnd);
    follow();
}

QPushButton* GroupPanel::button(Actions& actions, const char* id, const QString& words)
{
    return makeActionButton(actions, id, words, QLatin1String(id) + QStringLiteral("Button"), this);
}

// Updates what the buttons say and offer for what is shown.
void GroupPanel::follow()
{
    const Decoding* decoding = m_view->decoding();
    const QSignalBlocker quiet(m_symbol);
    const auto symbols = decoding ? int(std::min<std::size_t>(decoding->symbols, 1'000'000)) : 0;
    m_symbol->setEnabled(symbols > 1);
    m_symbol->setRange(0, std::max(0, symbols - 1));
    m_symbol->setValue(decoding ? int(decoding->wish.symbol) : 0);
    const SymbolBase base = decoding ? decoding->wish.base : SymbolBase::Hex;
    m_base->setText(base == SymbolBase::Hex ? tr("hex")
            : base == SymbolBase::Decimal   ? tr("decimal")
                                            : tr("logarithm"));
    m_other->setVisible(m_view->page() != GroupPage::Update);
    m_own->setVisible(m_view->page() != GroupPage::Update && decoding && decoding->wish.choice);
    m_target->setVisible(m_view->page() == GroupPage::Update || (decoding && decoding->lost.size() > 1));
    m_target->setText(m_view->page() == GroupPage::Update ? tr("Next member") : tr("Next lost"));
    showEnd();
}

// In a show nobody scrolls. What a page has found is in its last lines: if little of it is cut off, they stay in sight.
void GroupPanel::showEnd()
{
    QScrollBar& bar = *m_scroll->verticalScrollBar();
    if (m_view->isAtStage() && bar.maximum() < m_scroll->viewport()->height() / 4)
        bar.setValue(bar.maximum());
}

void GroupPanel::setTheme(const Theme& theme) { m_view->setTheme(theme); }

} // namespace lhrs::gui
