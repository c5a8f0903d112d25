#include "services/fleet/enrolment_service.h"

#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_profile.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::fleet {
namespace {

constexpr int attempts_max = 10;
constexpr std::string_view accepted_event = "accepted";

bool may_be_admitted(const std::optional<system_record>& system) {
    return !system || system->stage == enrolment::pooled || system->stage == enrolment::evicted;
}

bool is_pooled(enrolment stage) {
    return stage == enrolment::pooled || stage == enrolment::rejected;
}

}  // namespace

async<enrolment_service::known_record> enrolment_service::find_record(
    fingerprint print, bool in_ledger) {
    if (!in_ledger && systems_.complete()) co_return systems_.find(print);
    std::vector<fingerprint> fingerprints{print};
    CO_TRY(auto stored, co_await keys_.store().read(std::move(fingerprints)));
    const auto row = stored.find(print);
    if (row == stored.end()) co_return known_record();
    co_return std::move(row->second.record);
}

// The accepted system of the same machine. Any system can claim a machine, so only an admin accepts
// a duplicate.
enrolment_service::known_record enrolment_service::find_duplicate(
    const lifecycle::enrol_request& request) const {
    for (auto& system : systems_.find_machine(request.machine_id))
        if (system.print != request.print) return std::move(system);
    return std::nullopt;
}

// A token has precedence over rules.
async<std::optional<enrolment_service::admission>> enrolment_service::find_admission(
    enrolment_input input) {
    if (!input.token_digest.empty()) {
        CO_TRY(
            const auto token, co_await rules_.use_token(input.token_digest, input.request.print));
        if (token) {
            enrolment_service::admission admission;
            admission.terms = {
                .zone = token->zone,
                .tags = token->tags,
                .groups = token->groups,
                .accepted_by = "token of " + token->made_by};
            co_return std::optional(std::move(admission));
        }
    }
    co_return co_await find_rule_admission(std::move(input));
}

// A key that reached its usage limit is ignored, so another rule may match.
async<std::optional<enrolment_service::admission>> enrolment_service::find_rule_admission(
    enrolment_input input) {
    const auto rules = rules_.current();
    std::vector<lifecycle::accept_rule> active_rules;
    for (const auto& candidate : *rules) {
        const bool disabled = candidate.stored.as_key && candidate.stored.as_key->disabled;
        if (!disabled && candidate.has_zone) active_rules.push_back(candidate.compiled);
    }
    const lifecycle::enrolment_candidate applicant{
        .name = input.request.name, .address = input.address, .key_digest = input.key_digest};
    while (const auto* const rule = lifecycle::find_matching_rule(active_rules, applicant)) {
        const auto name = rule->name;
        const auto stored_rule = std::ranges::find(
            *rules, name, [](const accept_rule_store::rule& rule) { return rule.stored.name; });
        CO_TRY(const bool allowed, co_await may_use(*stored_rule, input.request.print));
        if (allowed) {
            enrolment_service::admission admission{
                .terms = {}, .as_key = stored_rule->stored.as_key};
            if (admission.as_key) admission.key = admission.as_key->key;
            admission.terms = {
                .zone = rule->zone,
                .tags = rule->tags,
                .groups = rule->groups,
                .accepted_by = "rule " + name};
            co_return std::optional(std::move(admission));
        }
        std::erase_if(active_rules, [&](const auto& rule) { return rule.name == name; });
    }
    co_return std::optional<admission>();
}

async<bool> enrolment_service::may_use(accept_rule_store::rule rule, fingerprint print) {
    if (!rule.stored.as_key || !rule.stored.as_key->usage_limit) co_return true;
    const auto is_gone = [this](const std::string& text) {
        const auto parsed = fingerprint::parse(text);
        const auto existing = parsed ? systems_.find(*parsed) : known_record();
        return existing && existing->stage == enrolment::deleted;
    };
    co_return co_await rules_.use(
        rule.stored.name, *rule.stored.as_key->usage_limit, print, is_gone);
}

std::vector<table::write> enrolment_service::extra_rows(
    const system_record& record,
    const std::optional<enrolment_service::admission>& admission) const {
    if (!admission || !admission->as_key) return {};
    system_profile profile;
    profile.system = record.number;
    profile.config_channels = admission->as_key->config_channels;
    profile.entitlements = admission->as_key->entitlements;
    profile.contact_method = admission->as_key->contact_method;
    profile.activation_key = admission->key;
    profile.version = 1;
    profile.changed_by = admission->terms.accepted_by;
    profile.changed = clock_.wall();
    std::vector<table::write> writes;
    writes.push_back(
        {.table = std::string(system_profiles_table), .rows = {encode_profile(profile)}});
    if (extension_ != nullptr) {
        for (auto& row : extension_->rows_for(record, *admission->as_key))
            writes.push_back(std::move(row));
    }
    return writes;
}

async<std::optional<system_record>> enrolment_service::enrolled_record(
    enrolment_input input,
    known_record existing,
    std::optional<lifecycle::acceptance_options> terms) {
    const auto same_machine = find_duplicate(input.request);
    const auto now = clock_.wall();
    CO_TRY(auto enrolled, lifecycle::enrol(existing, input.request, same_machine, now));
    if (!terms) co_return enrolled;
    const auto current = enrolled ? *enrolled : *existing;
    CO_TRY(auto numbers, co_await keys_.numbers().allocate(1));
    const lifecycle::assigned_identity identity{
        .number = numbers.front(), .replaced = std::nullopt};
    co_return lifecycle::accept(current, *terms, identity, now);
}

async<void> enrolment_service::evict_oldest() {
    const auto pooled = systems_.count(enrolment::pooled) + systems_.count(enrolment::rejected);
    if (pooled < options_.pool_max) co_return result<void>();
    auto oldest = systems_.oldest_unaccepted(pooled - options_.pool_max + 1);
    CO_CHECK_OK(co_await keys_.evict(std::move(oldest)));
    co_return result<void>();
}

system_state enrolment_service::reported_state(
    const fingerprint& print, const known_record& record) const {
    const auto state = systems_.status(print);
    if (state == system_state::onboarded) return state;
    return state_of(record ? &*record : nullptr, false);
}

// Returns how long the system has to wait; nothing: it may be accepted now. The rate limits
// acceptances by rule only.
std::optional<monotonic::duration> enrolment_service::rule_rate_wait(
    const std::optional<lifecycle::acceptance_options>& terms) {
    if (!terms) return std::nullopt;
    const std::lock_guard lock(mutex_);
    return accepted_by_rule_.take(options_.rule_acceptances, clock_.now());
}

// Returns false when a concurrent change won.
async<bool> enrolment_service::write(entry entry) {
    auto extra_rows = std::move(entry.extra_rows);
    if (entry.facts && (is_pooled(entry.record.stage) || entry.event.kind == accepted_event)) {
        extra_rows.push_back(
            {.table = std::string(facts_table),
             .rows = {encode_facts(*entry.facts)},
             .existing = table::replace{}});
    }
    CO_TRY(const auto written, co_await keys_.store().write({entry.record}, std::move(extra_rows)));
    if (written.empty()) co_return false;
    systems_.apply(written);
    publish_key_event(bus_, entry.event, written);
    if (auto* const listener = keys_.deps().listener; listener != nullptr)
        listener->keys_changed(entry.event, written);
    co_return true;
}

async<enrolment_service::outcome> enrolment_service::enrol(enrolment_input input) {
    CO_CHECK_OK(lifecycle::check(input.request));
    const auto print = input.request.print;
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto existing, co_await find_record(print, attempt > 0));
        if (existing && existing->stage == enrolment::deleted)
            co_return enrolled{.state = system_state::deleted};
        std::optional<enrolment_service::admission> admission;
        if (may_be_admitted(existing) && !find_duplicate(input.request)) {
            CO_TRY(admission, co_await find_admission(input));
        }
        const auto terms = admission ? std::optional(admission->terms) : std::nullopt;
        if (const auto wait = rule_rate_wait(terms)) co_return retry_after{.wait = *wait};
        CO_TRY(const auto record, co_await enrolled_record(input, existing, terms));
        if (!record) co_return enrolled{.state = reported_state(print, existing)};
        if (!existing && !terms) {
            CO_CHECK_OK(co_await evict_oldest());
        }
        key_event event{.kind = existing ? "renamed" : "pooled", .by = ""};
        if (terms) event = {.kind = accepted_event, .by = terms->accepted_by};
        enrolment_service::entry entry{
            .record = *record,
            .facts = input.facts,
            .extra_rows = extra_rows(*record, admission),
            .event = std::move(event)};
        CO_TRY(const bool written, co_await write(std::move(entry)));
        if (written) co_return enrolled{.state = reported_state(print, record), .changed = true};
    }
    co_return fail(errc::unavailable, "system was modified concurrently; retry");
}

}  // namespace muster::fleet
