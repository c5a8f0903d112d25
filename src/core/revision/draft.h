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

// Somebody who edits: one session.
struct editor {
    std::string id;
    std::string user;
    std::string note = {};
    wall_time began;
    wall_time seen;  // a while behind: not every request is written down

    friend bool operator==(const editor&, const editor&) = default;
};

// How far an apply has come, as it is on record before anything is done.
struct application {
    std::string by;
    std::string edit;
    std::string note = {};
    wall_time since;
    // The change that is being carried out, and the digest of all common data before it was begun;
    // zero: none was yet.
    std::int64_t doing = 0;
    std::string before = {};

    friend bool operator==(const application&, const application&) = default;
};

enum class draft_state {
    open,      // is edited
    applying,  // its changes are being carried out: nobody changes common data beside
    halted,    // a change could not be carried out; the ones before it are in force
};

std::string_view to_string(draft_state what);
std::optional<draft_state> parse_draft_state(std::string_view text);

// What is being edited, shared by all editors. The changes themselves are kept apart.
struct draft {
    std::string id;
    draft_state state = draft_state::open;
    std::int64_t base = 0;  // the revision it was begun on
    wall_time since;
    std::vector<editor> editors;
    std::int64_t last_number = 0;  // of the changes: the last one given
    std::int64_t done = 0;   // changes up to this number are in force, and none of it any more
    std::int64_t count = 0;  // of the changes that are left
    std::int64_t bytes = 0;  // of these
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

// Each is refused with a sentence that says what stands in the way and what to do: errc::conflict,
// or errc::not_found for a session that is over.
result<void> may_begin(const std::optional<draft>& now, const editing_rules& rules);
result<void> may_draft(const draft& now, std::string_view edit, std::size_t bytes);
result<void> may_apply(const draft& now, std::string_view edit);
result<void> may_discard(const draft& now, std::string_view edit);
// A change without a session.
result<void> may_change_directly(const std::optional<draft>& now);

// Whether there must be a leader.
bool needs_leader(const std::optional<draft>& now);

// Takes out the sessions that were not seen for the limit, except that of an apply under way; who
// that was.
std::vector<editor> drop_idle(draft& from, wall_time now, std::chrono::seconds limit);

// The change to carry out next, of those that a draft has, by number: nothing when all are done.
//
// `done_here`: the last one that this very process carried out, zero if none. The one that is in
// doubt because a process died is told by its effect: while a draft is applied nobody else changes
// common data, so it was carried out exactly if the digest is no longer that of before. One that
// has no effect on the digest is carried out again, which changes nothing.
std::optional<std::int64_t> next_change(
    const application& progress,
    const std::vector<std::int64_t>& numbers,
    std::string_view digest_now,
    std::int64_t done_here);

}  // namespace muster::revision
