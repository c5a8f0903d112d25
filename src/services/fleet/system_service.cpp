#include "services/fleet/system_service.h"

#include "base/assert.h"
#include "core/fleet/compact_system_record.h"
#include "services/cluster/zone_service.h"
#include "services/fleet/key_events.h"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace muster::fleet {
namespace {

constexpr int attempts_max = 10;
constexpr std::size_t visit_batch = 1'000;

std::vector<std::vector<fingerprint>> to_batches(std::vector<fingerprint> targets) {
    std::ranges::sort(targets);
    const auto repeated = std::ranges::unique(targets);
    targets.erase(repeated.begin(), repeated.end());
    std::vector<std::vector<fingerprint>> batches;
    for (std::size_t offset = 0; offset < targets.size();
         offset += system_store::batch_records_max) {
        const auto end = std::min(offset + system_store::batch_records_max, targets.size());
        batches.emplace_back(
            targets.begin() + static_cast<std::ptrdiff_t>(offset),
            targets.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return batches;
}

// Wraps a decision on an existing system: errc::not_found for an unknown key.
template <class Rule>
auto require_known(Rule decide) {
    return [decide = std::move(decide)](
               const std::optional<system_record>& system,
               const fingerprint& print) -> lifecycle::next_record {
        if (!system)
            return fail(errc::not_found, "system with key \"" + print.str() + "\" not found");
        return decide(*system);
    };
}

// The numbers reserved for one batch. Shared, because the decision that uses them is copied.
class reserved_numbers {
public:
    explicit reserved_numbers(std::vector<system_number> numbers) : numbers_(std::move(numbers)) {}

    system_number peek() const { return numbers_.back(); }
    void pop() { numbers_.pop_back(); }
    std::vector<system_number> take_unused() { return std::exchange(numbers_, {}); }

private:
    std::vector<system_number> numbers_;
};

}  // namespace

void bulk_result::count_failure(const muster::error& error) {
    ++failed;
    if (reasons.size() < reasons_max) reasons.push_back(error.detail());
}

void bulk_result::add(const bulk_result& part) {
    changed += part.changed;
    unchanged += part.unchanged;
    failed += part.failed;
    for (const auto& reason : part.reasons)
        if (reasons.size() < reasons_max) reasons.push_back(reason);
}

system_service::system_service(dependencies deps)
    : deps_(std::move(deps)),
      store_(deps_.engines.ledger, deps_.clock),
      numbers_(deps_.engines.metastore) {}

lifecycle::next_record system_service::decide_next(
    const system_change& change, const existing_record& existing, const fingerprint& print) {
    CHECK_OK(change.by.check(existing));
    return change.decide(existing, print);
}

// The cache may be older than the ledger. Then the write is refused and the next attempt reads the
// ledger.
async<system_service::attempt> system_service::try_batch(
    targets targets, system_change change, system_service::source source) {
    system_service::attempt attempt;
    system_store::stored_systems stored;
    if (source == system_service::source::ledger) {
        CO_TRY(stored, co_await store_.read(targets));
    }
    std::vector<system_record> systems;
    std::set<fingerprint> remaining;
    for (const auto& print : targets) {
        existing_record existing;
        if (source == system_service::source::cache) {
            existing = deps_.systems.find(print);
        } else if (const auto row = stored.find(print); row != stored.end()) {
            existing = row->second.record;
        }
        const auto decided = decide_next(change, existing, print);
        if (!decided && source == system_service::source::cache) {
            remaining.insert(print);  // the cache may be stale: decide again with the ledger
        } else if (!decided) {
            attempt.result.count_failure(decided.error());
        } else if (!*decided) {
            ++attempt.result.unchanged;
        } else {
            systems.push_back(**decided);
        }
    }
    for (const auto& system : systems) remaining.insert(system.print);
    if (!systems.empty()) {
        CO_TRY(attempt.written, co_await store_.write(std::move(systems)));
    }
    for (const auto& system : attempt.written) remaining.erase(system.print);
    attempt.contested.assign(remaining.begin(), remaining.end());
    attempt.result.changed = attempt.written.size();
    deps_.systems.apply(attempt.written);
    const key_event event{.kind = change.event, .by = change.by.name};
    publish_key_event(deps_.bus, event, attempt.written);
    if (deps_.listener != nullptr) deps_.listener->keys_changed(event, attempt.written);
    co_return attempt;
}

async<bulk_result> system_service::change_batch(targets targets, system_change change) {
    bulk_result total;
    for (int attempt = 0; attempt < attempts_max && !targets.empty(); ++attempt) {
        const bool use_cache =
            attempt == 0 && change.first_source == source::cache && deps_.systems.complete();
        CO_TRY(
            const auto tried,
            co_await try_batch(targets, change, use_cache ? source::cache : source::ledger));
        total.add(tried.result);
        targets = tried.contested;
    }
    for (std::size_t left = targets.size(); left > 0; --left)
        total.count_failure(error(errc::unavailable, "system was modified concurrently; retry"));
    co_return total;
}

async<bulk_result> system_service::change(
    targets targets, system_change change, progress* progress) {
    bulk_result total;
    for (auto& batch : to_batches(std::move(targets))) {
        const auto size = batch.size();
        CO_TRY(const auto batch_result, co_await change_batch(std::move(batch), change));
        total.add(batch_result);
        if (progress == nullptr) continue;
        progress->done += size;
        progress->failed = total.failed;
    }
    co_return total;
}

// The numbers that more than one of these systems would take over.
std::set<system_number> system_service::find_contested(const targets& targets) const {
    std::set<system_number> replaced;
    std::set<system_number> contested;
    for (const auto& print : targets) {
        const auto existing = deps_.systems.find(print);
        if (!existing || !existing->replaces || existing->stage == enrolment::accepted) continue;
        if (!replaced.insert(existing->replaces).second) contested.insert(existing->replaces);
    }
    return contested;
}

async<bulk_result> system_service::accept(
    targets targets,
    lifecycle::acceptance_options terms,
    duplicate_machine_policy duplicates,
    progress* progress) {
    bulk_result total;
    acceptance acceptance{.terms = std::move(terms), .duplicates = duplicates, .contested = {}};
    if (duplicates == duplicate_machine_policy::replace)
        acceptance.contested = find_contested(targets);
    for (auto& batch : to_batches(std::move(targets))) {
        const auto size = batch.size();
        CO_TRY(const auto batch_result, co_await accept_batch(std::move(batch), acceptance));
        total.add(batch_result);
        if (progress == nullptr) continue;
        progress->done += size;
        progress->failed = total.failed;
    }
    if (total.changed > 0) {
        cluster::zone_service zones(deps_.engines.metastore, deps_.clock);
        CO_CHECK_OK(co_await zones.confirm(acceptance.terms.zone));
    }
    co_return total;
}

lifecycle::next_record system_service::accepted_record(
    const system_record& system,
    const acceptance& acceptance,
    system_number number,
    wall_time now) const {
    lifecycle::assigned_identity identity{.number = number};
    if (system.replaces && acceptance.duplicates == duplicate_machine_policy::replace) {
        if (acceptance.contested.contains(system.replaces))
            return fail(
                errc::conflict,
                "several keys claim to be system " + std::to_string(system.replaces.value())
                    + ", among them \"" + system.name
                    + "\"; accept one key by its fingerprint, or each key as a new system");
        identity.replaced = deps_.systems.find(system.replaces);
    }
    return lifecycle::accept(system, acceptance.terms, identity, now);
}

async<bulk_result> system_service::accept_batch(targets targets, acceptance acceptance) {
    bulk_result total;
    for (int attempt = 0; attempt < attempts_max && !targets.empty(); ++attempt) {
        CO_TRY(auto numbers, co_await numbers_.allocate(targets.size()));
        const auto reserved = std::make_shared<reserved_numbers>(std::move(numbers));
        const auto now = deps_.clock.wall();
        system_change change{
            .decide = nullptr, .event = "accepted", .by = acceptance.terms.accepted_by};
        change.decide =
            require_known([this, acceptance, reserved, now](const system_record& system) {
                auto decided = accepted_record(system, acceptance, reserved->peek(), now);
                if (decided && *decided && (*decided)->number == reserved->peek()) reserved->pop();
                return decided;
            });
        const bool use_cache = attempt == 0 && deps_.systems.complete();
        CO_TRY(
            const auto tried,
            co_await try_batch(
                targets, std::move(change), use_cache ? source::cache : source::ledger));
        numbers_.return_unused(reserved->take_unused());
        total.add(tried.result);
        targets = tried.contested;
        CO_CHECK_OK(co_await remove_replaced(tried.written, acceptance.terms.accepted_by));
    }
    for (std::size_t left = targets.size(); left > 0; --left)
        total.count_failure(error(errc::unavailable, "system was modified concurrently; retry"));
    co_return total;
}

// Removes the old keys of systems whose new key was accepted with the old number. If two servers
// accepted two new keys at once, the later one stays.
async<void> system_service::remove_replaced(std::vector<system_record> accepted, std::string by) {
    targets replaced;
    for (const auto& system : accepted) {
        if (!system.replaces || system.number != system.replaces) continue;
        for (const auto& other : deps_.systems.find_machine(system.machine_id)) {
            const bool earlier =
                std::tie(other.accepted, other.print) < std::tie(system.accepted, system.print);
            if (other.number == system.number && earlier) replaced.push_back(other.print);
        }
    }
    if (replaced.empty()) co_return result<void>();
    CO_CHECK_OK(co_await remove(std::move(replaced), std::move(by)));
    co_return result<void>();
}

async<bulk_result> system_service::reject(
    targets targets, lifecycle::actor_scope by, progress* progress) {
    system_change change{
        .decide = require_known(&lifecycle::reject), .event = "rejected", .by = std::move(by)};
    return system_service::change(std::move(targets), std::move(change), progress);
}

async<bulk_result> system_service::remove(
    targets targets, lifecycle::actor_scope by, progress* progress) {
    const auto now = deps_.clock.wall();
    system_change change{
        .decide = [now](
                      const existing_record& existing,
                      const fingerprint& print) { return lifecycle::remove(existing, print, now); },
        .event = "deleted",
        .by = std::move(by),
        .first_source = source::ledger};  // a stale cache must not lose parts of the record
    return system_service::change(std::move(targets), std::move(change), progress);
}

async<bulk_result> system_service::unregister(
    targets targets, lifecycle::actor_scope by, progress* progress) {
    system_change change{
        .decide = require_known(&lifecycle::unregister),
        .event = "unregistered",
        .by = std::move(by)};
    return system_service::change(std::move(targets), std::move(change), progress);
}

async<bulk_result> system_service::move(
    targets targets, std::string zone, lifecycle::actor_scope by, progress* progress) {
    system_change change{
        .decide = require_known(
            [zone](const system_record& system) { return lifecycle::move_to_zone(system, zone); }),
        .event = "moved",
        .by = std::move(by)};
    CO_TRY(
        const auto all,
        co_await system_service::change(std::move(targets), std::move(change), progress));
    if (all.changed > 0) {
        cluster::zone_service zones(deps_.engines.metastore, deps_.clock);
        CO_CHECK_OK(co_await zones.confirm(std::move(zone)));
    }
    co_return all;
}

async<bulk_result> system_service::relabel(
    targets targets,
    lifecycle::label_change label_change,
    lifecycle::actor_scope by,
    progress* progress) {
    system_change change{
        .decide =
            require_known([label_change = std::move(label_change)](const system_record& system) {
                return lifecycle::relabel(system, label_change);
            }),
        .event = "labelled",
        .by = std::move(by)};
    return system_service::change(std::move(targets), std::move(change), progress);
}

async<bulk_result> system_service::evict(targets targets) {
    system_change change{.decide = require_known(&lifecycle::evict), .event = "evicted", .by = ""};
    return system_service::change(std::move(targets), std::move(change), nullptr);
}

async<void> system_service::finish_replacements() {
    std::vector<system_record> successors;
    const auto collect =
        [&successors](const fingerprint& print, const compact_system_record& compact_system) {
            if (compact_system.stage() == enrolment::accepted && compact_system.replaces())
                successors.push_back(compact_system.unpack(print));
        };
    std::optional<fingerprint> after;
    do {
        after = deps_.systems.visit(after, visit_batch, collect);
    } while (after);
    co_return co_await remove_replaced(std::move(successors), "replacement");
}

}  // namespace muster::fleet
