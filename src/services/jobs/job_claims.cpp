#include "services/jobs/job_claims.h"

#include "base/hex.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::jobs {
namespace {

namespace json = boost::json;

constexpr std::string_view prefix = "job-claims/";

// Names and keys may hold any bytes, a slash too.
std::string key_of(const job_claims::request& wanted) {
    return std::string(prefix) + to_hex(wanted.user) + "/" + to_hex(wanted.key);
}

std::string encode(const job_claims::request& wanted, job_id job) {
    return json::serialize(json::object{{"job", job.value()}, {"digest", wanted.digest}});
}

result<job_claims::claim> decode(const job_claims::request& wanted, std::string_view text) {
    TRY(auto in, runtime::json_record_reader::of("job claim", text));
    const job_id job(in.integer("job"));
    const auto digest = in.text("digest");
    TRY(const auto read, in.finish(job_claims::claim{.job = job, .fresh = false}));
    if (digest != wanted.digest)
        return fail(
            errc::conflict, "this Idempotency-Key was used for another request; choose a new one");
    return read;
}

}  // namespace

async<job_claims::claim> job_claims::put(request wanted, job_id job, kv::condition when) {
    CO_TRY(const auto lease, co_await store_.grant(lifetime));
    kv::transaction change;
    change.when.push_back(std::move(when));
    change.then.push_back(
        kv::put{.key = key_of(wanted), .value = encode(wanted, job), .lease = lease});
    CO_TRY(const auto verdict, co_await store_.commit(std::move(change)));
    if (verdict.committed) co_return claim{.job = job, .fresh = true};
    if (verdict.current.empty())
        co_return fail(errc::unavailable, "the claim ended at this moment; try again");
    co_return decode(wanted, verdict.current.front().value);
}

async<job_claims::claim> job_claims::take(request wanted) {
    const auto key = key_of(wanted);
    CO_TRY(const auto there, co_await store_.get(key));
    if (there.found) co_return decode(wanted, there.found->value);
    const auto job = job_made_at(time_.wall());
    co_return co_await put(std::move(wanted), job, kv::absent{key});
}

async<job_claims::claim> job_claims::take_next(request wanted, job_id taken) {
    kv::value_is before{.key = key_of(wanted), .value = encode(wanted, taken)};
    co_return co_await put(std::move(wanted), taken.next(), std::move(before));
}

}  // namespace muster::jobs
