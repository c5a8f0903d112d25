#pragma once

#include "ports/metastore.h"
#include "services/events/webhook_record.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::events {

// The cluster's webhooks and how far each is, in the metastore. Thread-safe.
class webhook_store {
public:
    static constexpr std::string_view hooks = "webhooks/";
    static constexpr std::string_view progresses = "webhook-progress/";

    explicit webhook_store(muster::metastore& metastore) : metastore_(metastore) {}

    struct entry {
        webhook_record hook;
        kv::revision made;
        webhook_progress progress;
        kv::revision saved;  // when the progress was last written
    };

    // How far each is, without what it is, so that secrets need not be read to know.
    struct sighting {
        std::string name;
        kv::revision made;  // one that was made anew has another one
        webhook_progress progress;
        kv::revision saved;
    };

    // Both in the order of their names.
    async<std::vector<entry>> all();
    async<std::vector<sighting>> look();
    async<entry> find(std::string name);  // errc::not_found

    // errc::invalid when it is none, errc::conflict when there is one of this name, or too many.
    async<void> add(webhook_record hook, event_position from);
    async<void> remove(std::string name);  // errc::not_found
    async<void> resume(std::string name);  // errc::not_found

    // Writes the progress if nobody else has since `saved`: errc::conflict otherwise, and when the
    // webhook was removed. Gives the revision it has now.
    async<kv::revision> save(std::string name, webhook_progress progress, kv::revision saved);

private:
    metastore& metastore_;
};

}  // namespace muster::events
