#pragma once

#include <chrono>

namespace muster::ledger_postgres {

// Ends waits of other threads through a descriptor. Sent once, from any thread; it stays set.
class shutdown_signal {
public:
    shutdown_signal();
    shutdown_signal(const shutdown_signal&) = delete;
    shutdown_signal& operator=(const shutdown_signal&) = delete;
    ~shutdown_signal();

    void send();
    // Whether the signal is set, now or within `timeout`.
    bool is_set(std::chrono::milliseconds timeout = std::chrono::milliseconds(0)) const;
    int descriptor() const { return descriptor_; }  // readable from then on

private:
    int descriptor_;
};

}  // namespace muster::ledger_postgres
