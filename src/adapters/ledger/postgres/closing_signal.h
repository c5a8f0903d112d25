#pragma once

#include <chrono>

namespace muster::ledger_postgres {

// Tells threads that wait for a descriptor that it is over. Given once, from any thread; it stays.
class closing_signal {
public:
    closing_signal();
    closing_signal(const closing_signal&) = delete;
    closing_signal& operator=(const closing_signal&) = delete;
    ~closing_signal();

    void give();
    // Whether it is given, now or within this time.
    bool given(std::chrono::milliseconds within = std::chrono::milliseconds(0)) const;
    int descriptor() const { return descriptor_; }  // readable from then on

private:
    int descriptor_;
};

}  // namespace muster::ledger_postgres
