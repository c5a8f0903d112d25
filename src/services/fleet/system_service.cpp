#include "services/fleet/system_service.h"

#include "base/assert.h"
#include "core/fleet/compact_system_record.h"
#include "services/cluster/zones.h"
#include "services/fleet/key_events.h"

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

namespace muster::fleet {
namespace {

constexpr int attempts_max = 10;
constexpr std::size_t visited_at_once = 1'000;

std::vector<std::vector<fingerprint>> batches_of(std::vector<fingerprint> all) {
    std::ranges::sort(all);
    const auto repeated = std::ranges::unique(all);
    all.erase(repeated.begin(), repeated.end());
    std::vector<std::vector<fingerprint>> batches;
    for (std::size_t at = 0; at < all.size(); at += system_store::batch_records_max) {
        const auto end = std::min(at + system_store::batch_records_max, all.size());
        batches.emplace_back(
            all.begin() + static_cast<std::ptrdiff_t>(at),
            all.begin() + static_cast<std::ptrdiff_t>(end));
    }
    return batches;
}

// A rule for systems that must be known.
template <class Rule>
auto of_known(Rule decide) {
    return [decide = std::move(decide)](
               const std::optional<system_record>& system,
               const fingerprint& print) -> lifecycle::next_record {
        if (!system) return fail(errc::not_found, "no system has the key " + print.str());
        return decide(*system);
    };
}

// The numbers at hand for one batch. Shared by a rule that is copied.
class number_purse {
public:
    explicit number_purse(std::vector<system_number> held) : held_(std::move(held)) {}

    system_number peek() const { return held_.back(); }
    void spend() { held_.pop_back(); }
    std::vector<system_number> rest() { return std::exchange(held_, {}); }

private:
    std::vector<system_number> held_;
};

}  // namespace

void bulk_result::count_failure(const error& why) {
    ++failed;
    if (reasons.size() < reasons_max) reasons.push_back(why.detail());
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
      table_(deps_.engines.ledger, deps_.clock),
      numbers_(deps_.engines.metastore) {}

lifecycle::next_record system_service::decided(
    const system_change& system_change, const known_record& existing, const fingerprint& print) {
    CHECK_OK(system_change.by.check(existing));
    return system_change.decide(existing, print);
}

// What stands in memory may be older than the ledger; then the write loses and the second attempt
// reads.
async<system_service::attempt> system_service::try_batch(
    targets targets, system_change system_change, bool from_memory) {
    attempt tried;
    system_store::found stored;
    if (!from_memory) {
        CO_TRY(stored, co_await table_.read(targets));
    }
    std::vector<system_record> systems;
    std::set<fingerprint> left;
    for (const auto& print : targets) {
        known_record existing;
        if (from_memory) {
            existing = deps_.systems.find(print);
        } else if (const auto row = stored.find(print); row != stored.end()) {
            existing = row->second.record;
        }
        const auto next = decided(system_change, existing, print);
        if (!next && from_memory) {
            left.insert(print);  // memory may be behind: the ledger has the last word
        } else if (!next) {
            tried.counted.count_failure(next.error());
        } else if (!*next) {
            ++tried.counted.unchanged;
        } else {
            systems.push_back(**next);
        }
    }
    for (const auto& system : systems) left.insert(system.print);
    if (!systems.empty()) {
        CO_TRY(tried.written, co_await table_.write(std::move(systems)));
    }
    for (const auto& each : tried.written) left.erase(each.print);
    tried.contested.assign(left.begin(), left.end());
    tried.counted.changed = tried.written.size();
    deps_.systems.apply(tried.written);
    const key_event happened{.what = system_change.event, .by = system_change.by.name};
    announce(deps_.bus, happened, tried.written);
    if (deps_.listener != nullptr) deps_.listener->keys_changed(happened, tried.written);
    co_return tried;
}

async<bulk_result> system_service::change_batch(targets targets, system_change system_change) {
    bulk_result all;
    for (int round = 0; round < attempts_max && !targets.empty(); ++round) {
        const bool from_memory =
            round == 0 && system_change.start == from::memory && deps_.systems.complete();
        CO_TRY(const auto tried, co_await try_batch(targets, system_change, from_memory));
        all.add(tried.counted);
        targets = tried.contested;
    }
    for (std::size_t left = targets.size(); left > 0; --left)
        all.count_failure(error(errc::unavailable, "others keep changing the same system"));
    co_return all;
}

async<bulk_result> system_service::change(
    targets targets, system_change system_change, progress* progress) {
    bulk_result all;
    for (auto& batch : batches_of(std::move(targets))) {
        const auto size = batch.size();
        CO_TRY(const auto done, co_await change_batch(std::move(batch), system_change));
        all.add(done);
        if (progress == nullptr) continue;
        progress->done += size;
        progress->failed = all.failed;
    }
    co_return all;
}

// Systems whose place more than one of the duplicate machine policy would take.
std::set<system_number> system_service::contested_seats(
    const targets& duplicate_machine_policy) const {
    std::set<system_number> system_numbers;
    std::set<system_number> contested;
    for (const auto& each : duplicate_machine_policy) {
        const auto existing = deps_.systems.find(each);
        if (!existing || !existing->replaces || existing->stage == enrolment::accepted) continue;
        if (!system_numbers.insert(existing->replaces).second) contested.insert(existing->replaces);
    }
    return contested;
}

async<bulk_result> system_service::accept(
    targets targets, lifecycle::terms terms, duplicate_machine_policy how, progress* progress) {
    bulk_result all;
    acceptance acceptance{.given = std::move(terms), .how = how, .contested = {}};
    if (how == duplicate_machine_policy::replace) acceptance.contested = contested_seats(targets);
    for (auto& batch : batches_of(std::move(targets))) {
        const auto size = batch.size();
        CO_TRY(const auto done, co_await accept_batch(std::move(batch), acceptance));
        all.add(done);
        if (progress == nullptr) continue;
        progress->done += size;
        progress->failed = all.failed;
    }
    if (all.changed > 0) {
        cluster::zones places(deps_.engines.metastore, deps_.clock);
        CO_CHECK_OK(co_await places.confirm(acceptance.given.zone));
    }
    co_return all;
}

lifecycle::next_record system_service::accepted_record(
    const system_record& system,
    const acceptance& acceptance,
    system_number number,
    wall_time now) const {
    lifecycle::seat free{.number = number};
    if (system.replaces && acceptance.how == duplicate_machine_policy::replace) {
        if (acceptance.contested.contains(system.replaces))
            return fail(
                errc::conflict,
                system.name + " is one of several keys that claim to be system "
                    + std::to_string(system.replaces.value())
                    + "; accept one of them by its fingerprint, or each as a new system");
        free.replaced = deps_.systems.find(system.replaces);
    }
    return lifecycle::accept(system, acceptance.given, free, now);
}

async<bulk_result> system_service::accept_batch(targets targets, acceptance acceptance) {
    bulk_result all;
    for (int round = 0; round < attempts_max && !targets.empty(); ++round) {
        CO_TRY(auto numbers, co_await numbers_.take(targets.size()));
        const auto purse = std::make_shared<number_purse>(std::move(numbers));
        const auto now = deps_.clock.wall();
        system_change done{.decide = nullptr, .event = "accepted", .by = acceptance.given.by};
        done.decide = of_known([this, acceptance, purse, now](const system_record& system) {
            auto next = accepted_record(system, acceptance, purse->peek(), now);
            if (next && *next && (*next)->number == purse->peek()) purse->spend();
            return next;
        });
        const bool from_memory = round == 0 && deps_.systems.complete();
        CO_TRY(const auto tried, co_await try_batch(targets, std::move(done), from_memory));
        numbers_.release_memory(purse->rest());
        all.add(tried.counted);
        targets = tried.contested;
        CO_CHECK_OK(co_await retire(tried.written, acceptance.given.by));
    }
    for (std::size_t left = targets.size(); left > 0; --left)
        all.count_failure(error(errc::unavailable, "others keep changing the same system"));
    co_return all;
}

// The new key was accepted with the old one's number; now the old one goes. Should two new ones
// have been accepted at the same time on different servers, the later one stays.
async<void> system_service::retire(
    std::vector<system_record> duplicate_machine_policy, std::string by) {
    targets old;
    for (const auto& each : duplicate_machine_policy) {
        if (!each.replaces || each.number != each.replaces) continue;
        for (const auto& other : deps_.systems.find_machine(each.machine_id)) {
            const bool earlier =
                std::tie(other.accepted, other.print) < std::tie(each.accepted, each.print);
            if (other.number == each.number && earlier) old.push_back(other.print);
        }
    }
    if (old.empty()) co_return result<void>();
    CO_CHECK_OK(co_await remove(std::move(old), std::move(by)));
    co_return result<void>();
}

async<bulk_result> system_service::reject(
    targets targets, lifecycle::decider by, progress* progress) {
    system_change system_change{
        .decide = of_known(&lifecycle::reject), .event = "rejected", .by = std::move(by)};
    return change(std::move(targets), std::move(system_change), progress);
}

async<bulk_result> system_service::remove(
    targets targets, lifecycle::decider by, progress* progress) {
    const auto now = deps_.clock.wall();
    system_change system_change{
        .decide = [now](
                      const known_record& existing,
                      const fingerprint& print) { return lifecycle::remove(existing, print, now); },
        .event = "deleted",
        .by = std::move(by),
        .start = from::ledger};  // nothing of the record may be lost by what memory has not seen
    return change(std::move(targets), std::move(system_change), progress);
}

async<bulk_result> system_service::unregister(
    targets targets, lifecycle::decider by, progress* progress) {
    system_change system_change{
        .decide = of_known(&lifecycle::unregister), .event = "unregistered", .by = std::move(by)};
    return change(std::move(targets), std::move(system_change), progress);
}

async<bulk_result> system_service::move(
    targets targets, std::string zone, lifecycle::decider by, progress* progress) {
    system_change system_change{
        .decide = of_known(
            [zone](const system_record& system) { return lifecycle::move_to_zone(system, zone); }),
        .event = "moved",
        .by = std::move(by)};
    CO_TRY(const auto all, co_await change(std::move(targets), std::move(system_change), progress));
    if (all.changed > 0) {
        cluster::zones places(deps_.engines.metastore, deps_.clock);
        CO_CHECK_OK(co_await places.confirm(std::move(zone)));
    }
    co_return all;
}

async<bulk_result> system_service::relabel(
    targets targets,
    lifecycle::label_change label_change,
    lifecycle::decider by,
    progress* progress) {
    system_change system_change{
        .decide = of_known([label_change = std::move(label_change)](const system_record& system) {
            return lifecycle::relabel(system, label_change);
        }),
        .event = "labelled",
        .by = std::move(by)};
    return change(std::move(targets), std::move(system_change), progress);
}

async<bulk_result> system_service::evict(targets targets) {
    system_change system_change{
        .decide = of_known(&lifecycle::evict), .event = "evicted", .by = ""};
    return change(std::move(targets), std::move(system_change), nullptr);
}

async<void> system_service::settle_replacements() {
    std::vector<system_record> duplicate_machine_policy;
    const auto collect = [&duplicate_machine_policy](
                             const fingerprint& print,
                             const compact_system_record& compact_system) {
        if (compact_system.stage() == enrolment::accepted && compact_system.replaces())
            duplicate_machine_policy.push_back(compact_system.unpack(print));
    };
    std::optional<fingerprint> after;
    do {
        after = deps_.systems.visit(after, visited_at_once, collect);
    } while (after);
    co_return co_await retire(std::move(duplicate_machine_policy), "replacement");
}

}  // namespace muster::fleet
