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

// What people wrote down about a system, and want of it: by its number, so that it stays when a new
// key takes the old one's place. A row of the ledger's table `system_profiles`, written with
// replace_if_grows{"version"}. Version zero: nobody wrote anything.
struct system_profile {
    struct note {
        std::int64_t number = 0;  // one, two, … of this system; never given again
        std::string subject;
        std::string text;
        std::string by;
        wall_time at;

        friend bool operator==(const note&, const note&) = default;
    };

    system_number system;
    std::string name;  // that people gave it; empty: its own
    std::string description;
    std::map<std::string, std::string> place = {};   // "city", "rack" …
    std::map<std::string, std::string> values = {};  // by the label of a key of custom information
    std::vector<note> notes = {};
    std::int64_t last_note = 0;
    std::vector<std::string> config_channels = {};  // labels, the strongest first
    std::vector<std::string> entitlements = {};     // beside the usual one
    std::string contact_method = {};                // empty: the usual one
    std::string activation_key = {};                // it was taken in by; empty: none
    // What that key wants of newcomers was not started for it yet
    // (services/provisioning/activation_key_provisioner.h), and with whom together it is being
    // started.
    bool fresh = true;
    std::string arrival = {};
    bool locked = false;
    bool auto_update = false;
    std::int64_t version = 0;
    std::string changed_by = {};
    wall_time changed = {};

    bool is_arriving() const { return fresh && !activation_key.empty(); }

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

// errc::invalid with what is too long or too much.
result<void> check(const system_profile& system_profile);

table::row encode_profile(const system_profile& system_profile);
// Strict: errc::corrupt for anything that encode_profile does not write, the sequence aside.
result<system_profile> decode_profile(const table::row& cells);

}  // namespace muster::fleet
