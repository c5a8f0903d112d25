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

bool waits_for_admission(const std::optional<system_record>& system) {
    return !system || system->stage == enrolment::pooled || system->stage == enrolment::evicted;
}

bool in_pool(enrolment stage) {
    return stage == enrolment::pooled || stage == enrolment::rejected;
}

}  // namespace

async<enrolment_service::known_record> enrolment_service::look_up(
    fingerprint print, bool in_ledger) {
    if (!in_ledger && systems_.complete()) co_return systems_.find(print);
    std::vector<fingerprint> fingerprints{print};
    CO_TRY(auto match, co_await keys_.table().read(std::move(fingerprints)));
    const auto row = match.find(print);
    if (row == match.end()) co_return known_record();
    co_return std::move(row->second.record);
}

// The accepted system that this one claims to be the machine of. Anybody can claim that, so who
// does is taken in by nobody but an admin.
enrolment_service::known_record enrolment_service::other_key_of(
    const lifecycle::enrol_request& enrol_request) const {
    for (auto& each : systems_.find_machine(enrol_request.machine_id))
        if (each.print != enrol_request.print) return std::move(each);
    return std::nullopt;
}

// A token wins over rules.
async<std::optional<enrolment_service::admission>> enrolment_service::admission_for(
    application application) {
    if (!application.token_digest.empty()) {
        CO_TRY(
            const auto token,
            co_await rules_.use_token(application.token_digest, application.said.print));
        if (token) {
            admission admission;
            admission.given = {
                .zone = token->zone,
                .tags = token->tags,
                .groups = token->groups,
                .by = "token of " + token->made_by};
            co_return std::optional(std::move(admission));
        }
    }
    co_return co_await admission_by_rule(std::move(application));
}

// A key that is used up is as if it were not there: another rule may take the system in.
async<std::optional<enrolment_service::admission>> enrolment_service::admission_by_rule(
    application application) {
    const auto rules = rules_.current();
    std::vector<lifecycle::accept_rule> applied;
    for (const auto& each : *rules) {
        const bool disabled = each.stored.as_key && each.stored.as_key->disabled;
        if (!disabled && each.has_zone) applied.push_back(each.applied);
    }
    const lifecycle::applicant asks{
        .name = application.said.name,
        .address = application.from,
        .key_digest = application.key_digest};
    while (const auto* const rule = lifecycle::first_admitting(applied, asks)) {
        const auto name = rule->name;
        const auto match = std::ranges::find(
            *rules, name, [](const accept_rule_store::rule& rule) { return rule.stored.name; });
        CO_TRY(const bool may, co_await may_use(*match, application.said.print));
        if (may) {
            admission result{.given = {}, .as_key = match->stored.as_key};
            if (result.as_key) result.key = result.as_key->key;
            result.given = {
                .zone = rule->zone,
                .tags = rule->tags,
                .groups = rule->groups,
                .by = "rule " + name};
            co_return std::optional(std::move(result));
        }
        std::erase_if(applied, [&](const auto& each) { return each.name == name; });
    }
    co_return std::optional<admission>();
}

async<bool> enrolment_service::may_use(accept_rule_store::rule by, fingerprint print) {
    if (!by.stored.as_key || !by.stored.as_key->usage_limit) co_return true;
    const auto gone = [this](const std::string& text) {
        const auto parsed = fingerprint::parse(text);
        const auto existing = parsed ? systems_.find(*parsed) : known_record();
        return existing && existing->stage == enrolment::deleted;
    };
    co_return co_await rules_.use(by.stored.name, *by.stored.as_key->usage_limit, print, gone);
}

std::vector<table::write> enrolment_service::agent_resources(
    const system_record& next, const std::optional<admission>& by) const {
    if (!by || !by->as_key) return {};
    system_profile system_profile;
    system_profile.system = next.number;
    system_profile.config_channels = by->as_key->config_channels;
    system_profile.entitlements = by->as_key->entitlements;
    system_profile.contact_method = by->as_key->contact_method;
    system_profile.activation_key = by->key;
    system_profile.version = 1;
    system_profile.changed_by = by->given.by;
    system_profile.changed = clock_.wall();
    std::vector<table::write> all;
    all.push_back(
        {.table = std::string(system_profiles_table), .rows = {encode_profile(system_profile)}});
    if (extension_ != nullptr) {
        for (auto& row : extension_->rows_for(next, *by->as_key)) all.push_back(std::move(row));
    }
    return all;
}

async<std::optional<system_record>> enrolment_service::next_of(
    application application, known_record existing, std::optional<lifecycle::terms> terms) {
    const auto same_machine = other_key_of(application.said);
    const auto now = clock_.wall();
    CO_TRY(auto next, lifecycle::enrol(existing, application.said, same_machine, now));
    if (!terms) co_return next;
    const auto base = next ? *next : *existing;
    CO_TRY(auto numbers, co_await keys_.numbers().take(1));
    const lifecycle::seat free{.number = numbers.front(), .replaced = std::nullopt};
    co_return lifecycle::accept(base, *terms, free, now);
}

async<void> enrolment_service::make_room() {
    const auto waiting = systems_.count(enrolment::pooled) + systems_.count(enrolment::rejected);
    if (waiting < options_.pool_max) co_return result<void>();
    auto oldest = systems_.oldest_unaccepted(waiting - options_.pool_max + 1);
    CO_CHECK_OK(co_await keys_.evict(std::move(oldest)));
    co_return result<void>();
}

system_state enrolment_service::state_response(
    const fingerprint& print, const known_record& record) const {
    const auto existing = systems_.status(print);
    if (existing == system_state::onboarded) return existing;
    return state_of(record ? &*record : nullptr, false);
}

// Nothing: it may be accepted now. Who is accepted by no rule is not held up by their rate.
std::optional<monotonic::duration> enrolment_service::login_throttled(
    const std::optional<lifecycle::terms>& terms) {
    if (!terms) return std::nullopt;
    const std::lock_guard lock(guard_);
    return accepted_by_rule_.take(options_.rule_acceptances, clock_.now());
}

// Whether it stands now as it was to be written; otherwise somebody else was faster.
async<bool> enrolment_service::write(entry entry) {
    auto beside = std::move(entry.beside);
    if (entry.told && (in_pool(entry.next.stage) || entry.happened.what == accepted_event)) {
        beside.push_back(
            {.table = std::string(facts_table),
             .rows = {encode_facts(*entry.told)},
             .existing = table::replace{}});
    }
    CO_TRY(const auto written, co_await keys_.table().write({entry.next}, std::move(beside)));
    if (written.empty()) co_return false;
    systems_.apply(written);
    announce(bus_, entry.happened, written);
    if (auto* const listener = keys_.around().listener; listener != nullptr)
        listener->keys_changed(entry.happened, written);
    co_return true;
}

async<enrolment_service::outcome> enrolment_service::enrol(application application) {
    CO_CHECK_OK(lifecycle::check(application.said));
    const auto print = application.said.print;
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(const auto existing, co_await look_up(print, round > 0));
        if (existing && existing->stage == enrolment::deleted)
            co_return enrolled{.state = system_state::deleted};
        std::optional<admission> by;
        if (waits_for_admission(existing) && !other_key_of(application.said)) {
            CO_TRY(by, co_await admission_for(application));
        }
        const auto input = by ? std::optional(by->given) : std::nullopt;
        if (const auto wait = login_throttled(input)) co_return come_again{.wait = *wait};
        CO_TRY(const auto next, co_await next_of(application, existing, input));
        if (!next) co_return enrolled{.state = state_response(print, existing)};
        if (!existing && !input) {
            CO_CHECK_OK(co_await make_room());
        }
        key_event happened{.what = existing ? "renamed" : "pooled", .by = ""};
        if (input) happened = {.what = accepted_event, .by = input->by};
        entry entry{
            .next = *next,
            .told = application.told,
            .beside = agent_resources(*next, by),
            .happened = std::move(happened)};
        CO_TRY(const bool done, co_await write(std::move(entry)));
        if (done) co_return enrolled{.state = state_response(print, next), .changed = true};
    }
    co_return fail(errc::unavailable, "others keep changing this system's record");
}

}  // namespace muster::fleet
