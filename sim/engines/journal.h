#pragma once

#include "ports/async.h"
#include "sim/disk.h"
#include "sim/simulation.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::sim {

// The journal of a simulated engine: a checkpoint and the records since, on a disk that can lose
// power at any time. An appended record survives every crash completely. A record whose append was
// interrupted survives completely or not at all.
class journal {
public:
    struct contents {
        std::optional<std::string> checkpoint;
        std::vector<std::string> records;
    };

    journal(sim::simulation& simulation, disk& storage)
        : simulation_(simulation), storage_(storage) {}

    // Reads the journal and truncates what a crash left unfinished.
    async<contents> open();

    // Durable when it succeeds. errc::unavailable: nothing was written; retry later. Any other
    // error: the state of the disk is unknown, and the engine must restart.
    async<void> append(std::string record);

    // Replaces all records so far.
    async<void> checkpoint(std::string state);

    std::size_t record_bytes() const { return record_bytes_; }

private:
    std::string file() const { return "journal." + std::to_string(generation_); }
    async<std::string> read_reliably(std::string name);
    async<void> read_checkpoint(contents& loaded);
    async<void> sync_file();

    sim::simulation& simulation_;
    disk& storage_;
    std::uint64_t generation_ = 0;
    std::size_t record_bytes_ = 0;
    bool file_is_listed_ = false;  // its directory was synced since it was made
};

}  // namespace muster::sim
