#pragma once

#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/log.h"
#include "services/fleet/stored_rule.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::fleet {

// Reads and writes the accept rules and one-time tokens of the cluster. It caches the rules,
// because every enrolment needs them, and looks up tokens. Thread-safe except for run().
class accept_rule_store {
public:
    struct rule {
        stored_rule stored;
        lifecycle::accept_rule compiled;
        bool has_zone = true;  // otherwise it accepts no system
    };
    using rules = std::vector<rule>;  // in the order of their names

    accept_rule_store(muster::metastore& metastore, muster::clock& clock, runtime::logger& log)
        : metastore_(metastore), clock_(clock), log_(log) {}

    // Follows the rules until cancelled.
    boost::asio::awaitable<void> run();

    // The cached rules; may lag behind the metastore.
    std::shared_ptr<const rules> current() const;

    // errc::conflict when the name or the activation key exists already; errc::invalid for an
    // invalid rule or an unknown zone.
    async<void> add(stored_rule rule);
    async<void> remove(std::string name);  // errc::not_found
    // Updates a rule and returns the new one. `update` runs again after a concurrent change.
    using update_function = std::function<result<void>(stored_rule&)>;
    async<stored_rule> change(std::string name, update_function update);

    // Whether a rule with a usage limit accepts one more system. A system that it accepted before
    // is accepted again. `is_gone` tells which systems no longer count.
    using gone_predicate = std::function<bool(const std::string& fingerprint_text)>;
    async<bool> use(
        std::string name, std::int64_t limit, fingerprint system, gone_predicate is_gone);

    // `digest` identifies the token, which expires after `ttl`.
    async<void> add_token(std::string digest, stored_token token, std::chrono::seconds ttl);

    // Uses a token for one system; the same system may use it again. Nothing when the token is
    // unknown or another system used it.
    async<std::optional<stored_token>> use_token(std::string digest, fingerprint system);

private:
    async<bool> has_zone(std::string zone);
    async<void> check_zones(rules& loaded);
    bool has_activation_key(std::string_view digest) const;
    async<kv::revision> reload();
    async<void> follow(kv::revision revision);

    metastore& metastore_;
    muster::clock& clock_;
    runtime::logger& log_;
    mutable std::mutex mutex_;
    std::shared_ptr<const rules> current_ = std::make_shared<rules>();
};

}  // namespace muster::fleet
