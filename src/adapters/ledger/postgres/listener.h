#pragma once

#include "adapters/ledger/postgres/settings.h"
#include "adapters/ledger/postgres/shutdown_signal.h"
#include "adapters/ledger/sql/sequence_notifier.h"

#include <atomic>
#include <thread>

namespace muster::ledger_postgres {

// A thread with a connection that listens for NOTIFY and calls the notifier. It stops if the server
// does not support LISTEN; the notifier then relies on its timer.
class listener {
public:
    listener(const settings& settings, ledger_sql::sequence_notifier& notifier);
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;
    ~listener();

    const std::atomic<bool>& supported() const { return supported_; }

private:
    void run();
    void listen();  // until the connection is lost or the ledger closes

    const settings& options_;
    ledger_sql::sequence_notifier& notifier_;
    std::atomic<bool> supported_ = true;
    shutdown_signal closing_;
    std::thread thread_;
};

}  // namespace muster::ledger_postgres
