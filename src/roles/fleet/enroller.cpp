#include "roles/fleet/enroller.h"

#include "roles/cluster/ledger_schema.h"

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
async<std::optional<lifecycle::terms>> enroller::terms_for(application who) {
    std::optional<lifecycle::terms> given;
    if (!who.token_digest.empty()) {
        CO_TRY(const auto token, co_await rules_.use_token(who.token_digest, who.said.print));
        if (token) {
            given = lifecycle::terms{
                .zone = token->zone,
                .tags = token->tags,
                .groups = token->groups,
                .by = "token of " + token->made_by};
            co_return given;
        }
    }
    const auto rules = rules_.current();
    std::vector<lifecycle::accept_rule> applied;
    for (const auto& each : *rules) applied.push_back(each.applied);
    const auto* const rule = lifecycle::first_admitting(
        applied, {.name = who.said.name, .address = who.from, .key_digest = who.key_digest});
    if (rule != nullptr)
        given = lifecycle::terms{
            .zone = rule->zone,
            .tags = rule->tags,
            .groups = rule->groups,
            .by = "rule " + rule->name};
    co_return given;
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
async<bool> enroller::write(
    system_record next, std::optional<stored_facts> told, key_event happened) {
    std::vector<table::write> beside;
    if (told && (in_pool(next.stage) || happened.what == accepted_event)) {
        beside.push_back(
            {.table = std::string(cluster::facts_table),
             .rows = {encode_facts(*told)},
             .existing = table::replace{}});
    }
    CO_TRY(const auto written, co_await keys_.table().write({next}, std::move(beside)));
    if (written.empty()) co_return false;
    known_.apply(written);
    announce(bell_, happened, written);
    if (keys_.around().told) keys_.around().told(happened, written);
    co_return true;
}

async<enroller::outcome> enroller::enrol(application who) {
    CO_CHECK_OK(lifecycle::check(who.said));
    const auto print = who.said.print;
    for (int round = 0; round < attempts_max; ++round) {
        CO_TRY(const auto known, co_await look_up(print, round > 0));
        if (known && known->stage == enrolment::deleted)
            co_return enrolled{.state = system_state::deleted};
        std::optional<lifecycle::terms> given;
        if (waits_for_admission(known) && !other_key_of(who.said)) {
            CO_TRY(given, co_await terms_for(who));
        }
        if (const auto wait = must_wait(given)) co_return come_again{.wait = *wait};
        CO_TRY(const auto next, co_await next_of(who, known, given));
        if (!next) co_return enrolled{.state = told_state(print, known)};
        if (!known && !given) {
            CO_CHECK_OK(co_await make_room());
        }
        key_event happened{.what = known ? "renamed" : "pooled", .by = ""};
        if (given) happened = {.what = accepted_event, .by = given->by};
        CO_TRY(const bool done, co_await write(*next, who.told, std::move(happened)));
        if (done) co_return enrolled{.state = told_state(print, next), .changed = true};
    }
    co_return fail(errc::unavailable, "others keep changing this system's record");
}

}  // namespace muster::fleet
