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

// State of the editing of common data, a moment behind the metastore; for display. Changes must
// read the records themselves. Immutable once published.
struct edit_state_snapshot {
    kv::revision at;
    std::optional<leader_record> leader = {};  // also a server that takes a turn
    std::optional<draft> current_draft = {};
    std::map<std::int64_t, draft_change> changes = {};
    std::optional<revision_record> head = {};
    std::map<std::string, held_digests, std::less<>> server_digests = {};  // by server
    std::map<std::string, direct_change, std::less<>> notes = {};

    // The leader of edit sessions; null for a turn.
    const leader_record* edit_leader() const {
        const bool edits = leader && leader->kind == leader_record::purpose::edit;
        return edits ? &*leader : nullptr;
    }
};

// Holds the newest snapshot. The follower publishes it. Thread-safe.
class edit_state_cache {
public:
    std::shared_ptr<const edit_state_snapshot> read() const {
        const std::lock_guard lock(mutex_);
        return current_;
    }
    void publish(std::shared_ptr<const edit_state_snapshot> next) {
        const std::lock_guard lock(mutex_);
        current_ = std::move(next);
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const edit_state_snapshot> current_ = std::make_shared<edit_state_snapshot>();
};

}  // namespace muster::revision
