#include "services/fleet/registrar.h"

#include "base/assert.h"
#include "core/fleet/packed_record.h"
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
    for (std::size_t at = 0; at < all.size(); at += system_table::batch_records_max) {
        const auto end = std::min(at + system_table::batch_records_max, all.size());
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
               const std::optional<system_record>& known,
               const fingerprint& print) -> lifecycle::next_record {
        if (!known) return fail(errc::not_found, "no system has the key " + print.str());
        return decide(*known);
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

void tally::count_failure(const error& why) {
    ++failed;
    if (reasons.size() < reasons_max) reasons.push_back(why.detail());
}

void tally::add(const tally& part) {
    changed += part.changed;
    unchanged += part.unchanged;
    failed += part.failed;
    for (const auto& each : part.reasons)
        if (reasons.size() < reasons_max) reasons.push_back(each);
}

registrar::registrar(surroundings around)
    : around_(std::move(around)),
      table_(around_.engines.records, around_.time),
      numbers_(around_.engines.metadata) {}

lifecycle::next_record registrar::decided(
    const deed& what, const known_record& known, const fingerprint& print) {
    CHECK_OK(what.by.check(known));
    return what.decide(known, print);
}

// What stands in memory may be older than the ledger; then the write loses and the second attempt
// reads.
async<registrar::attempt> registrar::try_batch(targets which, deed what, bool from_memory) {
    attempt tried;
    system_table::found stored;
    if (!from_memory) {
        CO_TRY(stored, co_await table_.read(which));
    }
    std::vector<system_record> wanted;
    std::set<fingerprint> left;
    for (const auto& print : which) {
        known_record known;
        if (from_memory) {
            known = around_.known.find(print);
        } else if (const auto row = stored.find(print); row != stored.end()) {
            known = row->second.record;
        }
        const auto next = decided(what, known, print);
        if (!next && from_memory) {
            left.insert(print);  // memory may be behind: the ledger has the last word
        } else if (!next) {
            tried.counted.count_failure(next.error());
        } else if (!*next) {
            ++tried.counted.unchanged;
        } else {
            wanted.push_back(**next);
        }
    }
    for (const auto& each : wanted) left.insert(each.print);
    if (!wanted.empty()) {
        CO_TRY(tried.written, co_await table_.write(std::move(wanted)));
    }
    for (const auto& each : tried.written) left.erase(each.print);
    tried.contested.assign(left.begin(), left.end());
    tried.counted.changed = tried.written.size();
    around_.known.apply(tried.written);
    const key_event happened{.what = what.event, .by = what.by.name};
    announce(around_.bell, happened, tried.written);
    if (around_.told) around_.told(happened, tried.written);
    co_return tried;
}

async<tally> registrar::change_batch(targets which, deed what) {
    tally all;
    for (int round = 0; round < attempts_max && !which.empty(); ++round) {
        const bool from_memory =
            round == 0 && what.start == from::memory && around_.known.complete();
        CO_TRY(const auto tried, co_await try_batch(which, what, from_memory));
        all.add(tried.counted);
        which = tried.contested;
    }
    for (std::size_t left = which.size(); left > 0; --left)
        all.count_failure(error(errc::unavailable, "others keep changing the same system"));
    co_return all;
}

async<tally> registrar::change(targets which, deed what, progress* seen) {
    tally all;
    for (auto& each : batches_of(std::move(which))) {
        const auto size = each.size();
        CO_TRY(const auto done, co_await change_batch(std::move(each), what));
        all.add(done);
        if (seen == nullptr) continue;
        seen->done += size;
        seen->failed = all.failed;
    }
    co_return all;
}

// Systems whose place more than one of the newcomers would take.
std::set<system_number> registrar::contested_seats(const targets& newcomers) const {
    std::set<system_number> wanted;
    std::set<system_number> contested;
    for (const auto& each : newcomers) {
        const auto known = around_.known.find(each);
        if (!known || !known->replaces || known->stage == enrolment::accepted) continue;
        if (!wanted.insert(known->replaces).second) contested.insert(known->replaces);
    }
    return contested;
}

async<tally> registrar::accept(
    targets which, lifecycle::terms given, newcomers how, progress* seen) {
    tally all;
    acceptance what{.given = std::move(given), .how = how, .contested = {}};
    if (how == newcomers::replace) what.contested = contested_seats(which);
    for (auto& each : batches_of(std::move(which))) {
        const auto size = each.size();
        CO_TRY(const auto done, co_await accept_batch(std::move(each), what));
        all.add(done);
        if (seen == nullptr) continue;
        seen->done += size;
        seen->failed = all.failed;
    }
    if (all.changed > 0) {
        cluster::zones places(around_.engines.metadata, around_.time);
        CO_CHECK_OK(co_await places.confirm(what.given.zone));
    }
    co_return all;
}

lifecycle::next_record registrar::accepted_record(
    const system_record& known, const acceptance& what, system_number number, wall_time now) const {
    lifecycle::seat free{.number = number};
    if (known.replaces && what.how == newcomers::replace) {
        if (what.contested.contains(known.replaces))
            return fail(
                errc::conflict,
                known.name + " is one of several keys that claim to be system "
                    + std::to_string(known.replaces.value())
                    + "; accept one of them by its fingerprint, or each as a new system");
        free.replaced = around_.known.find(known.replaces);
    }
    return lifecycle::accept(known, what.given, free, now);
}

async<tally> registrar::accept_batch(targets which, acceptance what) {
    tally all;
    for (int round = 0; round < attempts_max && !which.empty(); ++round) {
        CO_TRY(auto numbers, co_await numbers_.take(which.size()));
        const auto purse = std::make_shared<number_purse>(std::move(numbers));
        const auto now = around_.time.wall();
        deed done{.decide = nullptr, .event = "accepted", .by = what.given.by};
        done.decide = of_known([this, what, purse, now](const system_record& known) {
            auto next = accepted_record(known, what, purse->peek(), now);
            if (next && *next && (*next)->number == purse->peek()) purse->spend();
            return next;
        });
        const bool from_memory = round == 0 && around_.known.complete();
        CO_TRY(const auto tried, co_await try_batch(which, std::move(done), from_memory));
        numbers_.give_back(purse->rest());
        all.add(tried.counted);
        which = tried.contested;
        CO_CHECK_OK(co_await retire(tried.written, what.given.by));
    }
    for (std::size_t left = which.size(); left > 0; --left)
        all.count_failure(error(errc::unavailable, "others keep changing the same system"));
    co_return all;
}

// The new key was accepted with the old one's number; now the old one goes. Should two new ones
// have been accepted at the same time on different servers, the later one stays.
async<void> registrar::retire(std::vector<system_record> newcomers, std::string by) {
    targets old;
    for (const auto& each : newcomers) {
        if (!each.replaces || each.number != each.replaces) continue;
        for (const auto& other : around_.known.find_machine(each.machine_id)) {
            const bool earlier =
                std::tie(other.accepted, other.print) < std::tie(each.accepted, each.print);
            if (other.number == each.number && earlier) old.push_back(other.print);
        }
    }
    if (old.empty()) co_return result<void>();
    CO_CHECK_OK(co_await remove(std::move(old), std::move(by)));
    co_return result<void>();
}

async<tally> registrar::reject(targets which, lifecycle::decider by, progress* seen) {
    deed what{.decide = of_known(&lifecycle::reject), .event = "rejected", .by = std::move(by)};
    return change(std::move(which), std::move(what), seen);
}

async<tally> registrar::remove(targets which, lifecycle::decider by, progress* seen) {
    const auto now = around_.time.wall();
    deed what{
        .decide = [now](
                      const known_record& known,
                      const fingerprint& print) { return lifecycle::remove(known, print, now); },
        .event = "deleted",
        .by = std::move(by),
        .start = from::ledger};  // nothing of the record may be lost by what memory has not seen
    return change(std::move(which), std::move(what), seen);
}

async<tally> registrar::unregister(targets which, lifecycle::decider by, progress* seen) {
    deed what{
        .decide = of_known(&lifecycle::unregister), .event = "unregistered", .by = std::move(by)};
    return change(std::move(which), std::move(what), seen);
}

async<tally> registrar::move(
    targets which, std::string zone, lifecycle::decider by, progress* seen) {
    deed what{
        .decide = of_known(
            [zone](const system_record& known) { return lifecycle::move_to_zone(known, zone); }),
        .event = "moved",
        .by = std::move(by)};
    CO_TRY(const auto all, co_await change(std::move(which), std::move(what), seen));
    if (all.changed > 0) {
        cluster::zones places(around_.engines.metadata, around_.time);
        CO_CHECK_OK(co_await places.confirm(std::move(zone)));
    }
    co_return all;
}

async<tally> registrar::relabel(
    targets which, lifecycle::label_change wanted, lifecycle::decider by, progress* seen) {
    deed what{
        .decide = of_known([wanted = std::move(wanted)](const system_record& known) {
            return lifecycle::relabel(known, wanted);
        }),
        .event = "labelled",
        .by = std::move(by)};
    return change(std::move(which), std::move(what), seen);
}

async<tally> registrar::evict(targets which) {
    deed what{.decide = of_known(&lifecycle::evict), .event = "evicted", .by = ""};
    return change(std::move(which), std::move(what), nullptr);
}

async<void> registrar::settle_replacements() {
    std::vector<system_record> newcomers;
    const auto collect = [&newcomers](const fingerprint& print, const packed_record& each) {
        if (each.stage() == enrolment::accepted && each.replaces())
            newcomers.push_back(each.unpack(print));
    };
    std::optional<fingerprint> after;
    do {
        after = around_.known.visit(after, visited_at_once, collect);
    } while (after);
    co_return co_await retire(std::move(newcomers), "replacement");
}

}  // namespace muster::fleet
