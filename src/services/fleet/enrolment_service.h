#pragma once

#include "core/access/rate_limiter.h"
#include "core/lifecycle/enrolment.h"
#include "services/fleet/accept_rule_store.h"
#include "services/fleet/facts_row.h"
#include "services/fleet/key_events.h"
#include "services/fleet/system_service.h"

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace muster::fleet {

// What else an activation key gives to a system that comes by it, written together with it.
class enrolment_extension {
public:
    enrolment_extension() = default;
    enrolment_extension(const enrolment_extension&) = delete;
    enrolment_extension& operator=(const enrolment_extension&) = delete;
    virtual ~enrolment_extension() = default;

    virtual std::vector<table::write> rows_for(
        const system_record& newcomer, const activation& key) = 0;
};

// Takes knocking systems into the pool, and at once into the fleet when a rule or a token says so.
// The pool is bounded: when it is full the one that has waited longest is let go, never an accepted
// one. Thread-safe.
class enrolment_service {
public:
    struct options {
        std::size_t pool_max = 100'000;
        access::rate rule_acceptances{.interval = std::chrono::milliseconds(2), .burst = 1'000};
    };
    struct application {
        lifecycle::enrol_request said;
        std::optional<lifecycle::address_bytes> from = std::nullopt;  // its own, if that is known
        std::string key_digest;    // of the activation key it showed; empty: none
        std::string token_digest;  // of the one-time token it showed; empty: none
        std::optional<stored_facts> told = std::nullopt;
    };
    struct enrolled {
        system_state state = system_state::fresh;
        bool changed = false;  // something was written
    };
    struct come_again {  // a rule takes it in, but not that many at once
        monotonic::duration wait;
    };
    using outcome = std::variant<enrolled, come_again>;

    enrolment_service(system_service& keys, accept_rule_store& rules, options options)
        : keys_(keys),
          rules_(rules),
          systems_(keys.around().systems),
          bus_(keys.around().bus),
          clock_(keys.around().clock),
          options_(options) {}

    async<outcome> enrol(application application);

    // To be set before anybody enrols; it must outlive the service.
    void extend_with(enrolment_extension& extension) { extension_ = &extension; }

private:
    using known_record = std::optional<system_record>;

    async<known_record> look_up(fingerprint print, bool in_ledger);
    // By what somebody is taken in.
    struct admission {
        lifecycle::terms given;
        std::string key = {};                   // the activation key, if it was one
        std::optional<activation> as_key = {};  // what else it gives
    };
    async<std::optional<admission>> admission_for(application application);
    async<std::optional<admission>> admission_by_rule(application application);
    async<bool> may_use(accept_rule_store::rule by, fingerprint print);
    async<std::optional<system_record>> next_of(
        application application, known_record existing, std::optional<lifecycle::terms> terms);
    // What is written together with a system that is taken in.
    std::vector<table::write> agent_resources(
        const system_record& next, const std::optional<admission>& by) const;
    known_record other_key_of(const lifecycle::enrol_request& enrol_request) const;
    std::optional<monotonic::duration> login_throttled(
        const std::optional<lifecycle::terms>& terms);
    struct entry {
        system_record next;
        std::optional<stored_facts> told;
        std::vector<table::write> beside;
        key_event happened;
    };
    async<bool> write(entry entry);
    async<void> make_room();
    system_state state_response(const fingerprint& print, const known_record& record) const;

    system_service& keys_;
    accept_rule_store& rules_;
    system_cache& systems_;
    cluster::bus_publisher& bus_;
    muster::clock& clock_;
    options options_;
    enrolment_extension* extension_ = nullptr;
    std::mutex guard_;
    access::rate_meter accepted_by_rule_;
};

}  // namespace muster::fleet
