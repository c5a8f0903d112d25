#pragma once

#include <cstdint>

namespace muster::cluster {

// Numbers the starts of this server's process.
class process_start {
public:
    virtual ~process_start() = default;

    // Larger at each start of the same server, whatever its clock says; zero: not known yet. From
    // any thread.
    virtual std::int64_t first_listed() const = 0;
};

}  // namespace muster::cluster
