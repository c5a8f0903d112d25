#pragma once

#include "ports/async.h"
#include "sim/disk.h"
#include "sim/world.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace muster::sim {

// The memory of a simulated engine: a checkpoint and the records since, on a disk that may lose
// power at any moment. A record that was appended is there after every crash, whole; one whose
// append was cut short is there whole or not at all.
class journal {
public:
    struct contents {
        std::optional<std::string> checkpoint;
        std::vector<std::string> records;
    };

    journal(world& where, disk& storage) : where_(where), storage_(storage) {}

    // Reads what is there and cuts off what a crash left unfinished.
    async<contents> open();

    // Durable when it answers well. errc::unavailable: nothing was written, go on later. Any other
    // failure: what is on the disk is unknown, only a restart finds out.
    async<void> append(std::string record);

    // Takes the place of all records so far.
    async<void> checkpoint(std::string state);

    std::size_t record_bytes() const { return record_bytes_; }

private:
    std::string file() const { return "journal." + std::to_string(generation_); }
    async<std::string> read_surely(std::string name);
    async<void> read_checkpoint(contents& into);
    async<void> sync_file();

    world& where_;
    disk& storage_;
    std::uint64_t generation_ = 0;
    std::size_t record_bytes_ = 0;
    bool file_is_listed_ = false;  // its directory was synced since it was made
};

}  // namespace muster::sim
