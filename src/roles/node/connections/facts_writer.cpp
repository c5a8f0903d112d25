#include "roles/node/connections/facts_writer.h"

#include "adapters/pki/fingerprint.h"
#include "ports/deadline.h"
#include "roles/node/connections/facts_document.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"

#include <algorithm>
#include <set>
#include <utility>

namespace muster::node {
namespace {

constexpr std::size_t digest_bytes = 32;
constexpr backoff::options pauses{
    .first = std::chrono::milliseconds(200), .longest = std::chrono::seconds(10)};

}  // namespace

facts_writer::submitted facts_writer::submit(
    channel_id from, const fingerprint& print, const muster::agent_protocol::Facts& facts) {
    request next{
        .from = from,
        .print = print,
        .whole = facts.whole(),
        .base_digest = facts.base_digest(),
        .digest = facts.digest(),
        .bytes = facts.ByteSizeLong()};
    for (const auto& [path, value] : facts.set()) next.what.set.emplace(path, value);
    next.what.removed.assign(facts.removed().begin(), facts.removed().end());
    const bool sound = next.bytes <= fleet::facts_bytes_max && next.digest.size() == digest_bytes
                       && muster::node::check(next.what.set).has_value();
    if (!sound) return submitted::refused;
    return push(std::move(next));
}

void facts_writer::check(channel_id from, const fingerprint& print, std::string digest) {
    request next{.from = from, .print = print, .only_check = true, .digest = std::move(digest)};
    // Dropped when too much waits: the next attach or difference looks again.
    static_cast<void>(push(std::move(next)));
}

facts_writer::submitted facts_writer::push(request next) {
    {
        const std::lock_guard lock(guard_);
        if (waiting_.size() >= options_.waiting_max
            || waiting_bytes_ + next.bytes > options_.waiting_bytes_max)
            return submitted::later;
        waiting_bytes_ += next.bytes;
        waiting_.push_back(std::move(next));
    }
    more_.ring();
    return submitted::taken;
}

bool facts_writer::full() const {
    const std::lock_guard lock(guard_);
    return waiting_.size() >= options_.waiting_max / 2
           || waiting_bytes_ > options_.waiting_bytes_max / 2;
}

// One request a system: a second one builds on what the first has stored.
std::vector<facts_writer::request> facts_writer::take_batch() {
    const std::lock_guard lock(guard_);
    std::vector<request> batch;
    std::set<fingerprint> fingerprints;
    std::size_t bytes = 0;
    while (!waiting_.empty() && batch.size() < options_.systems_a_batch
           && bytes < options_.batch_bytes_max && !fingerprints.contains(waiting_.front().print)) {
        fingerprints.insert(waiting_.front().print);
        bytes += waiting_.front().bytes;
        waiting_bytes_ -= waiting_.front().bytes;
        batch.push_back(std::move(waiting_.front()));
        waiting_.pop_front();
    }
    return batch;
}

void facts_writer::put_back(std::vector<request> batch) {
    const std::lock_guard lock(guard_);
    for (auto each = batch.rbegin(); each != batch.rend(); ++each) {
        waiting_bytes_ += each->bytes;
        waiting_.push_front(std::move(*each));
    }
}

boost::asio::awaitable<void> facts_writer::run() {
    backoff wait(pauses, prng(1));
    while (true) {
        auto batch = take_batch();
        if (batch.empty()) {
            const auto rung = co_await more_.wait();
            if (!rung) co_return;
            const auto gathered = co_await deps_.clock.sleep_for(options_.gather_time);
            if (!gathered) co_return;
            continue;
        }
        const auto settled = co_await settle(&batch);
        if (settled) {
            wait.reset();
            continue;
        }
        if (settled.error().code() == errc::cancelled) co_return;
        deps_.log.warning("facts are not on record yet", {{"reason", to_string(settled.error())}});
        put_back(std::move(batch));
        const auto slept = co_await deps_.clock.sleep_for(wait.next());
        if (!slept) co_return;
    }
}

async<facts_writer::stored> facts_writer::read(const std::vector<request>* batch) {
    table::query question{
        .table = std::string(fleet::facts_table),
        .where = {{.column = "fingerprint", .compare = table::comparison::one_of, .values = {}}}};
    for (const auto& each : *batch)
        question.where.front().values.push_back(fleet::key_cell(each.print));
    stored stored;
    do {
        auto page_read = deps_.ledger.read(question);
        CO_TRY(auto page, co_await within(deps_.clock, options_.timeout, std::move(page_read)));
        for (const auto& cells : page.rows) {
            CO_TRY(auto row, fleet::decode_facts(cells));
            const auto print = row.print;
            stored.insert_or_assign(print, std::move(row));
        }
        question.after = page.next;
    } while (!question.after.empty());
    co_return stored;
}

async<void> facts_writer::settle(const std::vector<request>* batch) {
    CO_TRY(const auto existing, co_await read(batch));
    if (deps_.channels.fenced()) co_return fail(errc::unavailable, "this node's lease is not sure");
    table::write rows{
        .table = std::string(fleet::facts_table),
        .rows = {},
        .existing = table::replace_if_grows{"changed"}};
    std::vector<bool> held(batch->size());
    std::vector<bool> stored(batch->size());
    for (std::size_t at = 0; at < batch->size(); ++at) {
        const auto& each = (*batch)[at];
        held[at] = deps_.channels.holds(each.from, each.print);
        stored[at] = held[at] && settle_one(each, existing, rows);
    }
    CO_CHECK_OK(co_await write(std::move(rows)));
    for (std::size_t at = 0; at < batch->size(); ++at) {
        const auto& each = (*batch)[at];
        if (!held[at] || (stored[at] && each.only_check)) continue;
        if (stored[at]) agent_connection_counters::add(deps_.counted.facts_taken);
        deps_.channels.answer(each.from, stored[at] ? each.digest : std::string());
    }
    co_return result<void>();
}

async<void> facts_writer::write(table::write rows) {
    if (rows.rows.empty()) co_return result<void>();
    table::batch change;
    change.writes.push_back(std::move(rows));
    auto written = deps_.ledger.write(std::move(change));
    CO_TRY(const auto done, co_await within(deps_.clock, options_.timeout, std::move(written)));
    if (done.kept > 0) co_return fail(errc::conflict, "other facts came on record meanwhile");
    co_return result<void>();
}

// Whether the facts of this digest are on record, or will be with what was put into `out`.
bool facts_writer::settle_one(const request& request, const stored& stored, table::write& out) {
    const auto it = stored.find(request.print);
    const bool same = it != stored.end() && it->second.digest == request.digest;
    if (same || request.only_check) return same;
    facts next;
    if (!request.whole) {
        if (it == stored.end() || it->second.digest != request.base_digest) return false;
        auto before = facts_of(it->second.document);
        if (!before) return false;
        next = *std::move(before);
    }
    apply(request.what, next);
    // What does not come out as the agent says it should was not what the agent started from.
    const bool sound = pki::sha256(canonical_form(next)) == request.digest;
    auto document = document_of(next);
    const bool fits = document.size() <= fleet::facts_bytes_max;
    if (!sound || !fits) {
        agent_connection_counters::add(deps_.counted.facts_refused);
        // Asking again for all of what was all of it already would never end.
        return request.whole;
    }
    // A write that was held up must not undo a later one, whatever our clock says.
    auto changed = deps_.clock.wall();
    if (it != stored.end())
        changed = std::max(changed, it->second.changed + wall_time::duration(1));
    out.rows.push_back(fleet::encode_facts(
        {.print = request.print,
         .document = std::move(document),
         .digest = request.digest,
         .changed = changed}));
    return true;
}

}  // namespace muster::node
