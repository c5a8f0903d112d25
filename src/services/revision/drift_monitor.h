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

// Publishes the digests of this server's common data in one small record, at most once a second.
// When the data has drifted, records an event and reloads the data until it is correct. Not
// thread-safe; call from one strand.
class drift_monitor {
public:
    struct dependencies {
        muster::metastore& metastore;
        const edit_state_cache& edit_state;
        const sources& common_data;
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

    // Computes the digests, publishes them if they changed, and reloads drifted data.
    async<void> run_once();

    // The digests of this server; empty before all data was read once.
    const std::optional<held_digests>& own() const { return own_; }
    // Since when the data differs from the newest revision; empty if it does not.
    std::optional<wall_time> differs_since() const { return differs_since_; }

private:
    bool update_digests();  // whether they changed
    async<void> publish();
    async<void> reload(std::vector<std::string> names);

    dependencies deps_;
    options options_;
    std::vector<std::shared_ptr<const void>> stamps_;
    std::optional<held_digests> own_;
    std::optional<wall_time> differs_since_;
    bool published_ = false;
    instant published_at_{};
    bool drifted_ = false;
    instant reloaded_at_{};
};

}  // namespace muster::revision
