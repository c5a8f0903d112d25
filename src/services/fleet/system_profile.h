#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/model/system.h"
#include "core/table/value.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace muster::fleet {

// What operators record about a system, and its settings. The key is its number, so a profile
// survives the replacement of a key. A row of the table `system_profiles`, written with
// replace_if_grows{"version"}. Version zero: no row.
struct system_profile {
    struct note {
        std::int64_t number = 0;  // 1, 2, … of this system; never reused
        std::string subject;
        std::string text;
        std::string user;
        wall_time time;

        friend bool operator==(const note&, const note&) = default;
    };

    system_number system;
    std::string name;  // given by operators; empty: its own name
    std::string description;
    std::map<std::string, std::string> place = {};   // location: "city", "rack" …
    std::map<std::string, std::string> values = {};  // custom information, by label
    std::vector<note> notes = {};
    std::int64_t last_note = 0;
    std::vector<std::string> config_channels = {};  // labels, highest priority first
    std::vector<std::string> entitlements = {};     // in addition to the default
    std::string contact_method = {};                // empty: the default
    std::string activation_key = {};                // that accepted it; empty: none
    // The key was not provisioned yet (services/provisioning/activation_key_provisioner.h), and the
    // batch that provisions it.
    bool unprovisioned = true;
    std::string provisioning_batch = {};
    bool locked = false;
    bool auto_update = false;
    std::int64_t version = 0;
    std::string changed_by = {};
    wall_time changed = {};

    bool needs_provisioning() const { return unprovisioned && !activation_key.empty(); }

    friend bool operator==(const system_profile&, const system_profile&) = default;
};

struct profile_limits {
    static constexpr std::size_t name_bytes_max = 128;
    static constexpr std::size_t text_bytes_max = 4'000;  // a value, a note, the description
    static constexpr std::size_t subject_bytes_max = 80;
    static constexpr std::size_t place_bytes_max = 128;
    static constexpr std::size_t values_max = 200;
    static constexpr std::size_t notes_max = 100;
    static constexpr std::size_t channels_max = 100;
    static constexpr std::size_t entitlements_max = 20;
};

// errc::invalid with the exceeded limit.
result<void> check(const system_profile& profile);

table::row encode_profile(const system_profile& profile);
// Strict: errc::corrupt for anything that encode_profile does not write, except the sequence.
result<system_profile> decode_profile(const table::row& row);

}  // namespace muster::fleet
