#pragma once

#include "core/model/event.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "services/revision/common_view.h"
#include "services/revision/source.h"
#include "runtime/log.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::revision {

// Tells the cluster what this server holds of the common data, by digests: one small record,
// written when it changes, at most once a second. A server that finds itself drifted says so and
// reads everything anew, again and again until it is well. Lives on one strand.
class drift_watch {
public:
    struct surroundings {
        metastore& store;
        const common_cell& known;
        const sources& from;
        clock& time;
        runtime::logger& log;
        std::function<void(event_record)> told = [](const auto&) {
        };
    };
    struct options {
        std::string server;
        std::chrono::seconds grace{10};
    };

    drift_watch(surroundings around, options how)
        : around_(std::move(around)), how_(std::move(how)) {}

    // Looks at what is held, tells it if it changed, and heals it if it has drifted.
    async<void> look();

    // What this server holds; nothing before all of it was read once.
    const std::optional<holding>& own() const { return own_; }
    // Since when it differs from the newest revision; nothing: it does not.
    std::optional<wall_time> differs_since() const { return differs_since_; }

private:
    bool take_stock();
    async<void> tell();
    async<void> heal(std::vector<std::string> which);

    surroundings around_;
    options how_;
    std::vector<std::shared_ptr<const void>> stamps_;
    std::optional<holding> own_;
    std::optional<wall_time> differs_since_;
    bool told_ = false;
    instant told_at_{};
    bool drifted_ = false;
    instant healed_at_{};
};

}  // namespace muster::revision
