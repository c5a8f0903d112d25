#pragma once

#include "core/kv/entry.h"
#include "services/revision/record.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace muster::revision {

// The editing of common data as one server sees it: a moment behind, for showing. Whoever changes
// something reads the record itself. Never changes once it is made.
struct edit_state_snapshot {
    kv::revision at;
    std::optional<leader_record> leader = {};  // also one that has just its turn
    std::optional<draft> now = {};
    std::map<std::int64_t, draft_change> changes = {};
    std::optional<revision_record> head = {};
    std::map<std::string, held_digests, std::less<>> owned_systems = {};  // by server
    std::map<std::string, direct_change, std::less<>> notes = {};

    // Who leads, as people mean it.
    const leader_record* leads() const {
        const bool edits = leader && leader->what == leader_record::purpose::edit;
        return edits ? &*leader : nullptr;
    }
};

// Where the newest is found. The follower publishes, anybody reads. Thread-safe.
class edit_state_cache {
public:
    std::shared_ptr<const edit_state_snapshot> read() const {
        const std::lock_guard lock(guard_);
        return current_;
    }
    void publish(std::shared_ptr<const edit_state_snapshot> next) {
        const std::lock_guard lock(guard_);
        current_ = std::move(next);
    }

private:
    mutable std::mutex guard_;
    std::shared_ptr<const edit_state_snapshot> current_ = std::make_shared<edit_state_snapshot>();
};

}  // namespace muster::revision
