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
constexpr backoff::options retry_delays{
    .first = std::chrono::milliseconds(200), .longest = std::chrono::seconds(10)};

}  // namespace

facts_writer::submit_result facts_writer::submit(
    connection_id connection,
    const fingerprint& print,
    const muster::agent_protocol::Facts& facts) {
    request added{
        .connection = connection,
        .print = print,
        .whole = facts.whole(),
        .base_digest = facts.base_digest(),
        .digest = facts.digest(),
        .bytes = facts.ByteSizeLong()};
    for (const auto& [path, value] : facts.set()) added.difference.set.emplace(path, value);
    added.difference.removed.assign(facts.removed().begin(), facts.removed().end());
    const bool is_valid = added.bytes <= fleet::facts_bytes_max
                          && added.digest.size() == digest_bytes
                          && muster::node::check(added.difference.set).has_value();
    if (!is_valid) return submit_result::refused;
    return push(std::move(added));
}

void facts_writer::check(connection_id connection, const fingerprint& print, std::string digest) {
    request added{
        .connection = connection, .print = print, .only_check = true, .digest = std::move(digest)};
    // Dropped if the queue is full: the next attach or difference checks again.
    static_cast<void>(push(std::move(added)));
}

facts_writer::submit_result facts_writer::push(request added) {
    {
        const std::lock_guard lock(mutex_);
        if (pending_.size() >= options_.pending_max
            || pending_bytes_ + added.bytes > options_.pending_bytes_max)
            return submit_result::later;
        pending_bytes_ += added.bytes;
        pending_.push_back(std::move(added));
    }
    wakeup_.notify();
    return submit_result::accepted;
}

bool facts_writer::is_full() const {
    const std::lock_guard lock(mutex_);
    return pending_.size() >= options_.pending_max / 2
           || pending_bytes_ > options_.pending_bytes_max / 2;
}

// One request per system: a second one builds on the stored result of the first.
std::vector<facts_writer::request> facts_writer::pop_batch() {
    const std::lock_guard lock(mutex_);
    std::vector<request> batch;
    std::set<fingerprint> fingerprints;
    std::size_t bytes = 0;
    while (!pending_.empty() && batch.size() < options_.batch_systems_max
           && bytes < options_.batch_bytes_max && !fingerprints.contains(pending_.front().print)) {
        fingerprints.insert(pending_.front().print);
        bytes += pending_.front().bytes;
        pending_bytes_ -= pending_.front().bytes;
        batch.push_back(std::move(pending_.front()));
        pending_.pop_front();
    }
    return batch;
}

void facts_writer::requeue(std::vector<request> batch) {
    const std::lock_guard lock(mutex_);
    for (auto it = batch.rbegin(); it != batch.rend(); ++it) {
        pending_bytes_ += it->bytes;
        pending_.push_front(std::move(*it));
    }
}

boost::asio::awaitable<void> facts_writer::run() {
    backoff wait(retry_delays, prng(1));
    while (true) {
        auto batch = pop_batch();
        if (batch.empty()) {
            const auto woken = co_await wakeup_.wait();
            if (!woken) co_return;
            const auto gathered = co_await deps_.clock.sleep_for(options_.gather_time);
            if (!gathered) co_return;
            continue;
        }
        const auto stored = co_await store_batch(&batch);
        if (stored) {
            wait.reset();
            continue;
        }
        if (stored.error().code() == errc::cancelled) co_return;
        deps_.log.warning("facts write failed", {{"error", to_string(stored.error())}});
        requeue(std::move(batch));
        const auto slept = co_await deps_.clock.sleep_for(wait.next());
        if (!slept) co_return;
    }
}

async<facts_writer::stored> facts_writer::read(const std::vector<request>* batch) {
    table::query query{
        .table = std::string(fleet::facts_table),
        .where = {{.column = "fingerprint", .compare = table::comparison::one_of, .values = {}}}};
    for (const auto& request : *batch)
        query.where.front().values.push_back(fleet::key_cell(request.print));
    stored stored;
    do {
        auto page_read = deps_.ledger.read(query);
        CO_TRY(auto page, co_await within(deps_.clock, options_.timeout, std::move(page_read)));
        for (const auto& cells : page.rows) {
            CO_TRY(auto row, fleet::decode_facts(cells));
            const auto print = row.print;
            stored.insert_or_assign(print, std::move(row));
        }
        query.after = page.next;
    } while (!query.after.empty());
    co_return stored;
}

async<void> facts_writer::store_batch(const std::vector<request>* batch) {
    CO_TRY(const auto stored_facts, co_await read(batch));
    if (deps_.channels.is_fenced())
        co_return fail(errc::unavailable, "lease of this node is uncertain");
    table::write rows{
        .table = std::string(fleet::facts_table),
        .rows = {},
        .existing = table::replace_if_grows{"changed"}};
    std::vector<bool> is_current(batch->size());
    std::vector<bool> stored(batch->size());
    for (std::size_t index = 0; index < batch->size(); ++index) {
        const auto& request = (*batch)[index];
        is_current[index] = deps_.channels.is_current(request.connection, request.print);
        stored[index] = is_current[index] && apply_request(request, stored_facts, rows);
    }
    CO_CHECK_OK(co_await write(std::move(rows)));
    for (std::size_t index = 0; index < batch->size(); ++index) {
        const auto& request = (*batch)[index];
        if (!is_current[index] || (stored[index] && request.only_check)) continue;
        if (stored[index]) agent_connection_counters::add(deps_.counters.facts_taken);
        deps_.channels.respond(request.connection, stored[index] ? request.digest : std::string());
    }
    co_return result<void>();
}

async<void> facts_writer::write(table::write rows) {
    if (rows.rows.empty()) co_return result<void>();
    table::batch batch;
    batch.writes.push_back(std::move(rows));
    auto pending_write = deps_.ledger.write(std::move(batch));
    CO_TRY(
        const auto outcome,
        co_await within(deps_.clock, options_.timeout, std::move(pending_write)));
    if (outcome.kept > 0) co_return fail(errc::conflict, "facts were modified concurrently; retry");
    co_return result<void>();
}

// Whether the facts with this digest are stored, or will be with the row added to `rows`.
bool facts_writer::apply_request(const request& request, const stored& stored, table::write& rows) {
    const auto it = stored.find(request.print);
    const bool is_stored = it != stored.end() && it->second.digest == request.digest;
    if (is_stored || request.only_check) return is_stored;
    facts updated;
    if (!request.whole) {
        if (it == stored.end() || it->second.digest != request.base_digest) return false;
        auto before = parse_document(it->second.document);
        if (!before) return false;
        updated = *std::move(before);
    }
    apply(request.difference, updated);
    // A different digest means that the agent started from other facts.
    const bool digest_matches = pki::sha256(canonical_form(updated)) == request.digest;
    auto document = to_document(updated);
    const bool fits = document.size() <= fleet::facts_bytes_max;
    if (!digest_matches || !fits) {
        agent_connection_counters::add(deps_.counters.facts_refused);
        // Requesting all facts again after a complete set would never end.
        return request.whole;
    }
    // A delayed write must not undo a later one, whatever our clock says.
    auto changed = deps_.clock.wall();
    if (it != stored.end())
        changed = std::max(changed, it->second.changed + wall_time::duration(1));
    rows.rows.push_back(fleet::encode_facts(
        {.print = request.print,
         .document = std::move(document),
         .digest = request.digest,
         .changed = changed}));
    return true;
}

}  // namespace muster::node
