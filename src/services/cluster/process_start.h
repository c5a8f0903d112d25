#pragma once

#include <cstdint>

namespace muster::cluster {

// Numbers the starts of this server's process.
class process_start {
public:
    virtual ~process_start() = default;

    // Grows with every start of the same server, independent of its clock; zero: not known yet.
    // Thread-safe.
    virtual std::int64_t first_listed() const = 0;
};

}  // namespace muster::cluster
