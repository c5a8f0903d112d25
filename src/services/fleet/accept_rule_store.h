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

// The accept rules and one-time tokens of the cluster. Rules are followed into memory, since every
// enrolment asks for them; tokens are looked up. Thread-safe but for run().
class accept_rule_store {
public:
    struct rule {
        stored_rule stored;
        lifecycle::accept_rule applied;
        bool has_zone = true;  // otherwise it takes nobody in
    };
    using rules = std::vector<rule>;  // in the order of their names

    accept_rule_store(muster::metastore& metastore, muster::clock& clock, runtime::logger& log)
        : metastore_(metastore), clock_(clock), log_(log) {}

    // Follows the rules until it is cancelled.
    boost::asio::awaitable<void> run();

    // As they were a moment ago.
    std::shared_ptr<const rules> current() const;

    // errc::conflict when there is a rule of this name, or one that is the same activation key;
    // errc::invalid when it is no rule or its zone is not there.
    async<void> add(stored_rule stored_rule);
    async<void> remove(std::string name);  // errc::not_found
    // Changes a rule in place; called again when somebody else was faster. The rule as it is then.
    using alteration = std::function<result<void>(stored_rule&)>;
    async<stored_rule> change(std::string name, alteration alteration);

    // Whether a rule with a usage limit takes one more system in; one that it took in is taken in
    // again. `gone` says of a system that it does not count any more.
    using departure = std::function<bool(const std::string& print)>;
    async<bool> use(std::string name, std::int64_t limit, fingerprint by, departure gone);

    // `digest` names the token; it ends after `ttl`.
    async<void> add_token(std::string digest, stored_token stored_token, std::chrono::seconds ttl);

    // What the token gives, once: to this system, and again only to it. Nothing when there is no
    // such token or somebody else has used it.
    async<std::optional<stored_token>> use_token(std::string digest, fingerprint by);

private:
    async<bool> has_zone(std::string zone);
    async<void> look_for_zones(rules& among);
    bool is_a_key(std::string_view digest) const;
    async<kv::revision> reload();
    async<void> follow(kv::revision from);

    metastore& metastore_;
    muster::clock& clock_;
    runtime::logger& log_;
    mutable std::mutex guard_;
    std::shared_ptr<const rules> current_ = std::make_shared<rules>();
};

}  // namespace muster::fleet
