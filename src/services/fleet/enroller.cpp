#include "services/fleet/enroller.h"

#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_profile.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::fleet {
namespace {

constexpr int attempts_max = 10;
constexpr std::string_view accepted_event = "accepted";

bool waits_for_admission(const std::optional<system_record>& known) {
    return !known || known->stage == enrolment::pooled || known->stage == enrolment::evicted;
}

bool in_pool(enrolment stage) {
    return stage == enrolment::pooled || stage == enrolment::rejected;
}

}  // namespace

async<enroller::known_record> enroller::look_up(fingerprint print, bool in_ledger) {
    if (!in_ledger && known_.complete()) co_return known_.find(print);
    std::vector<fingerprint> one{print};
    CO_TRY(auto found, co_await keys_.table().read(std::move(one)));
    const auto row = found.find(print);
    if (row == found.end()) co_return known_record();
    co_return std::move(row->second.record);
}

// The accepted system that this one claims to be the machine of. Anybody can claim that, so who
// does is taken in by nobody but an admin.
enroller::known_record enroller::other_key_of(const lifecycle::enrol_request& said) const {
    for (auto& each : known_.find_machine(said.machine_id))
        if (each.print != said.print) return std::move(each);
    return std::nullopt;
}

// A token wins over rules.
async<std::optional<enroller::admission>> enroller::admission_for(application who) {
    if (!who.token_digest.empty()) {
        CO_TRY(const auto token, co_await rules_.use_token(who.token_digest, who.said.print));
        if (token) {
            admission made;
            made.given = {
                .zone = token->zone,
                .tags = token->tags,
                .groups = token->groups,
                .by = "token of " + token->made_by};
            co_return std::optional(std::move(made));
        }
    }
    co_return co_await admission_by_rule(std::move(who));
}

// A key that is used up is as if it were not there: another rule may take the system in.
async<std::optional<enroller::admission>> enroller::admission_by_rule(application who) {
    const auto rules = rules_.current();
    std::vector<lifecycle::accept_rule> applied;
    for (const auto& each : *rules) {
        const bool disabled = each.stored.as_key && each.stored.as_key->disabled;
        if (!disabled && each.has_zone) applied.push_back(each.applied);
    }
    const lifecycle::applicant asks{
        .name = who.said.name, .address = who.from, .key_digest = who.key_digest};
    while (const auto* const rule = lifecycle::first_admitting(applied, asks)) {
        const auto name = rule->name;
        const auto found = std::ranges::find(
            *rules, name, [](const rule_book::rule& each) { return each.stored.name; });
        CO_TRY(const bool may, co_await may_use(*found, who.said.print));
        if (may) {
            admission made{.given = {}, .as_key = found->stored.as_key};
            if (made.as_key) made.key = made.as_key->key;
            made.given = {
                .zone = rule->zone,
                .tags = rule->tags,
                .groups = rule->groups,
                .by = "rule " + name};
            co_return std::optional(std::move(made));
        }
        std::erase_if(applied, [&](const auto& each) { return each.name == name; });
    }
    co_return std::optional<admission>();
}

async<bool> enroller::may_use(rule_book::rule by, fingerprint print) {
    if (!by.stored.as_key || !by.stored.as_key->usage_limit) co_return true;
    const auto gone = [this](const std::string& text) {
        const auto parsed = fingerprint::parse(text);
        const auto known = parsed ? known_.find(*parsed) : known_record();
        return known && known->stage == enrolment::deleted;
    };
    co_return co_await rules_.use(by.stored.name, *by.stored.as_key->usage_limit, print, gone);
}

std::vector<table::write> enroller::belongings(
    const system_record& next, const std::optional<admission>& by) const {
    if (!by || !by->as_key) return {};
    system_profile made;
    made.system = next.number;
    made.config_channels = by->as_key->config_channels;
    made.entitlements = by->as_key->entitlements;
    made.contact_method = by->as_key->contact_method;
    made.activation_key = by->key;
    made.version = 1;
    made.changed_by = by->given.by;
    made.changed = time_.wall();
    std::vector<table::write> all;
    all.push_back(
        {.table = std::string(system_profiles_table), .rows = {encode_profile(made)}});
    if (also_) {
        for (auto& each : also_(next, *by->as_key)) all.push_back(std::move(each));
    }
    return all;
}

async<std::optional<system_record>> enroller::next_of(
    application who, known_record known, std::optional<lifecycle::terms> given) {
    const auto same_machine = other_key_of(who.said);
    const auto now = time_.wall();
    CO_TRY(auto next, lifecycle::enrol(known, who.said, same_machine, now));
    if (!given) co_return next;
    const auto base = next ? *next : *known;
    CO_TRY(auto numbers, co_await keys_.numbers().take(1));
    const lifecycle::seat free{.number = numbers.front(), .replaced = std::nullopt};
    co_return lifecycle::accept(base, *given, free, now);
}

async<void> enroller::make_room() {
    const auto waiting = known_.count(enrolment::pooled) + known_.count(enrolment::rejected);
    if (waiting < how_.pool_max) co_return result<void>();
    auto oldest = known_.oldest_unaccepted(waiting - how_.pool_max + 1);
    CO_CHECK_OK(co_await keys_.evict(std::move(oldest)));
    co_return result<void>();
}

system_state enroller::told_state(const fingerprint& print, const known_record& record) const {
    const auto known = known_.status(print);
    if (known == system_state::onboarded) return known;
    return state_of(record ? &*record : nullptr, false);
}

// Nothing: it may be accepted now. Who is accepted by no rule is not held up by their rate.
std::optional<monotonic::duration> enroller::must_wait(
    const std::optional<lifecycle::terms>& given) {
    if (!given) return std::nullopt;
    const std::lock_guard lock(guard_);
    return accepted_by_rule_.take(how_.rule_acceptances, time_.now());
}

// Whether it stands now as it was to be written; otherwise somebody else was faster.
async<bool> enroller::write(entry what) {
    auto beside = std::move(what.beside);
    if (what.told && (in_pool(what.next.stage) || what.happened.what == accepted_event)) {
        beside.push_back(
            {.table = std::string(facts_table),
             .rows = {encode_facts(*what.told)},
             .existing = table::replace{}});
    }
    CO_TRY(const auto written, co_await keys_.table().write({what.next}, std::move(beside)));
    if (written.empty()) co_return false;
    known_.apply(written);
    announce(bell_, what.happened, written);
    if (keys_.around().told) keys_.around().told(what.happened, written);
    co_return true;
}

async<enroller::outcome> enroller::enrol(application who) {
    CO_CHECK_OK(lifecycle::check(who.said));
    const auto print = who.said.print;
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(const auto known, co_await look_up(print, round > 0));
        if (known && known->stage == enrolment::deleted)
            co_return enrolled{.state = system_state::deleted};
        std::optional<admission> by;
        if (waits_for_admission(known) && !other_key_of(who.said)) {
            CO_TRY(by, co_await admission_for(who));
        }
        const auto given = by ? std::optional(by->given) : std::nullopt;
        if (const auto wait = must_wait(given)) co_return come_again{.wait = *wait};
        CO_TRY(const auto next, co_await next_of(who, known, given));
        if (!next) co_return enrolled{.state = told_state(print, known)};
        if (!known && !given) {
            CO_CHECK_OK(co_await make_room());
        }
        key_event happened{.what = known ? "renamed" : "pooled", .by = ""};
        if (given) happened = {.what = accepted_event, .by = given->by};
        entry what{
            .next = *next,
            .told = who.told,
            .beside = belongings(*next, by),
            .happened = std::move(happened)};
        CO_TRY(const bool done, co_await write(std::move(what)));
        if (done) co_return enrolled{.state = told_state(print, next), .changed = true};
    }
    co_return fail(errc::unavailable, "others keep changing this system's record");
}

}  // namespace muster::fleet
