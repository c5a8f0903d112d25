#pragma once

#include "core/model/system.h"

#include <cstdint>
#include <string>

namespace muster::fleet {

// A compact system record; a million of them fit in memory. Frequently used values are members;
// texts are concatenated in one string.
class compact_system_record {
public:
    compact_system_record() = default;
    explicit compact_system_record(const system_record& whole);

    // The record of the system that this one was packed from.
    system_record unpack(const fingerprint& print) const;

    enrolment stage() const { return stage_; }
    system_number number() const { return system_number(number_); }
    system_number replaces() const { return system_number(replaces_); }
    std::int64_t version() const { return version_; }
    wall_time enrolled() const { return enrolled_; }
    std::string zone() const;
    std::string machine_id() const;

    // For a reading of the whole table: which reading saw the record last.
    std::uint8_t seen_in = 0;

private:
    std::int64_t version_ = 0;
    wall_time enrolled_;
    wall_time accepted_;  // the epoch: not accepted
    std::uint32_t number_ = 0;
    std::uint32_t replaces_ = 0;
    std::uint32_t unregistered_ = 0;
    enrolment stage_ = enrolment::evicted;
    std::string texts_;
};

}  // namespace muster::fleet
