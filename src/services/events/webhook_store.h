#pragma once

#include "ports/metastore.h"
#include "services/events/webhook_record.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::events {

// Reads and writes webhooks and their progress in the metastore. Thread-safe.
class webhook_store {
public:
    static constexpr std::string_view hooks = "webhooks/";
    static constexpr std::string_view progresses = "webhook-progress/";

    explicit webhook_store(muster::metastore& metastore) : metastore_(metastore) {}

    struct entry {
        webhook_record hook;
        kv::revision created;
        webhook_progress progress;
        kv::revision saved;  // of the last write of the progress
    };

    // Progress of a webhook without its record, to avoid reading secrets.
    struct status {
        std::string name;
        kv::revision created;  // differs if the webhook was removed and added again
        webhook_progress progress;
        kv::revision saved;
    };

    // Both are ordered by name.
    async<std::vector<entry>> all();
    async<std::vector<status>> read_status();
    async<entry> find(std::string name);  // errc::not_found

    // errc::invalid for an invalid record; errc::conflict when the name exists, or too many do.
    async<void> add(webhook_record hook, event_position position);
    async<void> remove(std::string name);  // errc::not_found
    async<void> resume(std::string name);  // errc::not_found

    // Writes the progress and returns its revision. errc::conflict when another server wrote it
    // after `saved`, or the webhook was removed.
    async<kv::revision> save(std::string name, webhook_progress progress, kv::revision saved);

private:
    metastore& metastore_;
};

}  // namespace muster::events
