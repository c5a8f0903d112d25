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

// Supplies extra rows for a system that enrols with an activation key. They are written together
// with the system.
class enrolment_extension {
public:
    enrolment_extension() = default;
    enrolment_extension(const enrolment_extension&) = delete;
    enrolment_extension& operator=(const enrolment_extension&) = delete;
    virtual ~enrolment_extension() = default;

    virtual std::vector<table::write> rows_for(
        const system_record& system, const activation& key) = 0;
};

// Enrols systems: adds them to the pool, or accepts them at once when a rule or a token matches.
// The pool is bounded: when it is full, the oldest pooled system is evicted, never an accepted one.
// Thread-safe.
class enrolment_service {
public:
    struct options {
        std::size_t pool_max = 100'000;
        access::rate rule_acceptances{.interval = std::chrono::milliseconds(2), .burst = 1'000};
    };
    struct enrolment_input {
        lifecycle::enrol_request request;
        std::optional<lifecycle::address_bytes> address =
            std::nullopt;          // of the system itself, if known
        std::string key_digest;    // of its activation key; empty: none
        std::string token_digest;  // of its one-time token; empty: none
        std::optional<stored_facts> facts = std::nullopt;
    };
    struct enrolled {
        system_state state = system_state::fresh;
        bool changed = false;  // the record was written
    };
    struct retry_after {  // the rate of acceptances by rule is exceeded
        monotonic::duration wait;
    };
    using outcome = std::variant<enrolled, retry_after>;

    enrolment_service(system_service& keys, accept_rule_store& rules, options options)
        : keys_(keys),
          rules_(rules),
          systems_(keys.deps().systems),
          bus_(keys.deps().bus),
          clock_(keys.deps().clock),
          options_(options) {}

    async<outcome> enrol(enrolment_input input);

    // Set it before the first enrolment; it must outlive the service.
    void extend_with(enrolment_extension& extension) { extension_ = &extension; }

private:
    using known_record = std::optional<system_record>;

    async<known_record> find_record(fingerprint print, bool in_ledger);
    // Why a system is accepted, and with which options.
    struct admission {
        lifecycle::acceptance_options terms;
        std::string key = {};                   // the activation key, if one was used
        std::optional<activation> as_key = {};  // settings of that key
    };
    async<std::optional<admission>> find_admission(enrolment_input input);
    async<std::optional<admission>> find_rule_admission(enrolment_input input);
    async<bool> may_use(accept_rule_store::rule rule, fingerprint print);
    async<std::optional<system_record>> enrolled_record(
        enrolment_input input,
        known_record existing,
        std::optional<lifecycle::acceptance_options> terms);
    // Rows to write together with an accepted system.
    std::vector<table::write> extra_rows(
        const system_record& record, const std::optional<admission>& admission) const;
    known_record find_duplicate(const lifecycle::enrol_request& request) const;
    std::optional<monotonic::duration> rule_rate_wait(
        const std::optional<lifecycle::acceptance_options>& terms);
    struct entry {
        system_record record;
        std::optional<stored_facts> facts;
        std::vector<table::write> extra_rows;
        key_event event;
    };
    async<bool> write(entry entry);
    async<void> evict_oldest();
    system_state reported_state(const fingerprint& print, const known_record& record) const;

    system_service& keys_;
    accept_rule_store& rules_;
    system_cache& systems_;
    cluster::bus_publisher& bus_;
    muster::clock& clock_;
    options options_;
    enrolment_extension* extension_ = nullptr;
    std::mutex mutex_;
    access::rate_meter accepted_by_rule_;
};

}  // namespace muster::fleet
