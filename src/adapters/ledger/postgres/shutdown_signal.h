#pragma once

#include <chrono>

namespace muster::ledger_postgres {

// Tells threads that wait for a descriptor that it is over. Given once, from any thread; it stays.
class shutdown_signal {
public:
    shutdown_signal();
    shutdown_signal(const shutdown_signal&) = delete;
    shutdown_signal& operator=(const shutdown_signal&) = delete;
    ~shutdown_signal();

    void give();
    // Whether it is given, now or within this time.
    bool given(std::chrono::milliseconds within = std::chrono::milliseconds(0)) const;
    int descriptor() const { return descriptor_; }  // readable from then on

private:
    int descriptor_;
};

}  // namespace muster::ledger_postgres
