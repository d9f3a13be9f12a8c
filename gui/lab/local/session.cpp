// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/session.h"

#include "common/open_files.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/lab/words/lhrs/record_group.h"

#include <zmq.hpp>

namespace lhrs::gui {

struct Session::Parts {
    zmq::context_t context;
    Ingest ingest { context };
    ControlClient control { context, ingest };
    LocalCluster local;
    WitnessBook witnesses;

    explicit Parts(int courtesy) : local(control, ingest, courtesy) { raiseOpenFiles(); }
};

Session::Session(int courtesy) : m_parts(std::make_unique<Parts>(courtesy)) { }

Session::~Session() = default;

Ingest& Session::ingest() { return m_parts->ingest; }
ControlClient& Session::control() { return m_parts->control; }
LocalCluster& Session::local() { return m_parts->local; }
WitnessBook& Session::witnesses() { return m_parts->witnesses; }

} // namespace lhrs::gui
