#pragma once

#include "core/model/event.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "services/events/event_sink.h"
#include "services/revision/edit_state_snapshot.h"
#include "services/revision/source.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::revision {

// Tells the cluster what this server holds of the common data, by digests: one small record,
// written when it changes, at most once a second. A server that finds itself drifted says so and
// reads everything anew, again and again until it is well. Lives on one strand.
class drift_monitor {
public:
    struct dependencies {
        muster::metastore& metastore;
        const edit_state_cache& edit_state;
        const sources& from;
        muster::clock& clock;
        runtime::logger& log;
        events::event_sink& events;
    };
    struct options {
        std::string server;
        std::chrono::seconds grace{10};
    };

    drift_monitor(dependencies deps, options options)
        : deps_(std::move(deps)), options_(std::move(options)) {}

    // Looks at what is held, tells it if it changed, and heals it if it has drifted.
    async<void> look();

    // What this server holds; nothing before all of it was read once.
    const std::optional<held_digests>& own() const { return own_; }
    // Since when it differs from the newest revision; nothing: it does not.
    std::optional<wall_time> differs_since() const { return differs_since_; }

private:
    bool take_stock();
    async<void> tell();
    async<void> heal(std::vector<std::string> names);

    dependencies deps_;
    options options_;
    std::vector<std::shared_ptr<const void>> stamps_;
    std::optional<held_digests> own_;
    std::optional<wall_time> differs_since_;
    bool told_ = false;
    instant told_at_{};
    bool drifted_ = false;
    instant healed_at_{};
};

}  // namespace muster::revision
