#pragma once

#include "base/result.h"
#include "base/time.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::revision {

// An edit session.
struct editor {
    std::string id;
    std::string user;
    std::string note = {};
    wall_time began;
    wall_time seen;  // last activity; may lag, because not every request is recorded

    friend bool operator==(const editor&, const editor&) = default;
};

// Progress of an apply, recorded before each step.
struct application {
    std::string by;
    std::string edit;
    std::string note = {};
    wall_time since;
    // The change in progress (zero: none yet), and the digest of all common data before it.
    std::int64_t doing = 0;
    std::string before = {};

    friend bool operator==(const application&, const application&) = default;
};

enum class draft_state {
    open,      // can be edited
    applying,  // its changes are being applied; no other change of common data is allowed
    halted,    // a change failed; the changes before it are in force
};

std::string_view to_string(draft_state state);
std::optional<draft_state> parse_draft_state(std::string_view text);

// The draft that all editors share. Its changes are stored separately.
struct draft {
    std::string id;
    draft_state state = draft_state::open;
    std::int64_t base = 0;  // the revision it was begun on
    wall_time since;
    std::vector<editor> editors;
    std::int64_t last_number = 0;  // of the newest change
    std::int64_t done = 0;         // changes up to this number are in force and left the draft
    std::int64_t count = 0;        // number of remaining changes
    std::int64_t bytes = 0;        // size of the remaining changes
    std::optional<application> applying = {};
    std::string error = {};  // why it was halted

    const editor* find(std::string_view edit) const;
    friend bool operator==(const draft&, const draft&) = default;
};

struct draft_limits {
    static constexpr std::size_t editors_max = 50;
    static constexpr std::int64_t changes_max = 1'000;
    static constexpr std::int64_t change_bytes_max = std::int64_t{256} * 1024;
    static constexpr std::int64_t bytes_max = std::int64_t{16} * 1024 * 1024;
    static constexpr std::size_t note_bytes_max = 1'000;
};

struct editing_rules {
    bool single = false;  // one session at a time
    std::chrono::seconds idle_limit = std::chrono::minutes(30);
};

// Each refusal names the obstacle and what to do: errc::conflict, or errc::not_found for a session
// that has ended.
result<void> may_begin(const std::optional<revision::draft>& draft, const editing_rules& rules);
result<void> may_draft(const revision::draft& draft, std::string_view edit, std::size_t bytes);
result<void> may_apply(const revision::draft& draft, std::string_view edit);
result<void> may_discard(const revision::draft& draft, std::string_view edit);
// A change without a session.
result<void> may_change_directly(const std::optional<revision::draft>& draft);

// Whether there must be a leader.
bool needs_leader(const std::optional<revision::draft>& draft);

// Removes sessions idle for longer than `limit`, except that of a running apply. Returns them.
std::vector<editor> drop_idle(revision::draft& draft, wall_time now, std::chrono::seconds limit);

// The number of the change to apply next; nothing when all are done.
//
// `last_done`: the last change that this process applied, zero if none. A change in doubt after a
// crash is recognized by its effect: nothing else changes common data during an apply, so it was
// applied exactly if the digest differs. A change without effect on the digest is applied again.
std::optional<std::int64_t> next_change(
    const application& progress,
    const std::vector<std::int64_t>& numbers,
    std::string_view current_digest,
    std::int64_t last_done);

}  // namespace muster::revision
