#include "services/jobs/job_idempotency_store.h"

#include "base/hex.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::jobs {
namespace {

namespace json = boost::json;

constexpr std::string_view prefix = "job-claims/";

// Names and keys may hold any bytes, a slash too.
std::string key_of(const job_idempotency_store::request& request) {
    return std::string(prefix) + to_hex(request.user) + "/" + to_hex(request.key);
}

std::string encode(const job_idempotency_store::request& request, job_id job) {
    return json::serialize(json::object{{"job", job.value()}, {"digest", request.digest}});
}

result<job_idempotency_store::reservation> decode(
    const job_idempotency_store::request& request, std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("job claim", text));
    const job_id job(reader.integer("job"));
    const auto digest = reader.text("digest");
    TRY(const auto reservation,
        reader.finish(job_idempotency_store::reservation{.job = job, .is_new = false}));
    if (digest != request.digest)
        return fail(
            errc::conflict, "Idempotency-Key was already used for another request; use a new key");
    return reservation;
}

}  // namespace

async<job_idempotency_store::reservation> job_idempotency_store::put(
    request request, job_id job, kv::condition when) {
    CO_TRY(const auto lease, co_await metastore_.grant(lifetime));
    kv::transaction change;
    change.when.push_back(std::move(when));
    change.then.push_back(
        kv::put{.key = key_of(request), .value = encode(request, job), .lease = lease});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (outcome.committed) co_return reservation{.job = job, .is_new = true};
    if (outcome.current.empty())
        co_return fail(errc::unavailable, "Idempotency-Key expired during the request; retry");
    co_return decode(request, outcome.current.front().value);
}

async<job_idempotency_store::reservation> job_idempotency_store::reserve(request request) {
    const auto key = key_of(request);
    CO_TRY(const auto stored, co_await metastore_.get(key));
    if (stored.found) co_return decode(request, stored.found->value);
    const auto job = job_id_at(clock_.wall());
    co_return co_await put(std::move(request), job, kv::absent{key});
}

async<job_idempotency_store::reservation> job_idempotency_store::reserve_next(
    request request, job_id taken) {
    kv::value_is expected{.key = key_of(request), .value = encode(request, taken)};
    co_return co_await put(std::move(request), taken.next(), std::move(expected));
}

}  // namespace muster::jobs
