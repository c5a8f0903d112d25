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

result<job_idempotency_store::claim> decode(
    const job_idempotency_store::request& request, std::string_view text) {
    TRY(auto in, runtime::json_record_reader::of("job claim", text));
    const job_id job(in.integer("job"));
    const auto digest = in.text("digest");
    TRY(const auto read, in.finish(job_idempotency_store::claim{.job = job, .fresh = false}));
    if (digest != request.digest)
        return fail(
            errc::conflict, "this Idempotency-Key was used for another request; choose a new one");
    return read;
}

}  // namespace

async<job_idempotency_store::claim> job_idempotency_store::put(
    request request, job_id job, kv::condition when) {
    CO_TRY(const auto lease, co_await metastore_.grant(lifetime));
    kv::transaction change;
    change.when.push_back(std::move(when));
    change.then.push_back(
        kv::put{.key = key_of(request), .value = encode(request, job), .lease = lease});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (verdict.committed) co_return claim{.job = job, .fresh = true};
    if (verdict.current.empty())
        co_return fail(errc::unavailable, "the claim ended at this moment; try again");
    co_return decode(request, verdict.current.front().value);
}

async<job_idempotency_store::claim> job_idempotency_store::take(request request) {
    const auto key = key_of(request);
    CO_TRY(const auto there, co_await metastore_.get(key));
    if (there.found) co_return decode(request, there.found->value);
    const auto job = job_made_at(clock_.wall());
    co_return co_await put(std::move(request), job, kv::absent{key});
}

async<job_idempotency_store::claim> job_idempotency_store::take_next(
    request request, job_id job_id) {
    kv::value_is before{.key = key_of(request), .value = encode(request, job_id)};
    co_return co_await put(std::move(request), job_id.next(), std::move(before));
}

}  // namespace muster::jobs
