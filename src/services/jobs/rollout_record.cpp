#include "services/jobs/rollout_record.h"

#include <boost/json.hpp>

#include <chrono>
#include <limits>
#include <optional>
#include <string>

namespace muster::jobs {
namespace {

namespace json = boost::json;
using std::chrono::duration_cast;
using std::chrono::milliseconds;

// An empty text stands for an amount that was not given.
std::string stored_amount(const std::optional<amount>& amount) {
    return amount ? to_string(*amount) : std::string();
}

std::optional<amount> take_amount(runtime::json_record_reader& in, std::string_view name) {
    const auto text = in.text(name);
    if (text.empty()) return std::nullopt;
    const auto read = parse_amount(text);
    if (!read) {
        in.mark_wrong(name);
        return std::nullopt;
    }
    return *read;
}

std::int64_t take_within(
    runtime::json_record_reader& in, std::string_view name, std::int64_t least, std::int64_t most) {
    const auto read = in.integer(name);
    if (read < least || read > most) in.mark_wrong(name);
    return read;
}

}  // namespace

std::int64_t stored_span(monotonic::duration span) {
    return duration_cast<milliseconds>(span).count();
}

monotonic::duration take_span(runtime::json_record_reader& in, std::string_view name) {
    constexpr std::int64_t most = duration_cast<milliseconds>(std::chrono::hours(24 * 366)).count();
    const auto read = in.integer(name);
    if (read < 0 || read > most) in.mark_wrong(name);
    return milliseconds(read);
}

rollout_options take_rollout(runtime::json_record_reader& in) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    rollout_options read;
    read.batch = take_amount(in, "batch");
    read.batch_wait = take_span(in, "batch_wait_ms");
    const auto milli = take_within(in, "rate_milli", 0, most);
    if (milli > 0) read.rate = static_cast<double>(milli) / 1000;
    read.canary = take_amount(in, "canary");
    if (in.has("canary_wait_ms")) read.canary_wait = take_span(in, "canary_wait_ms");
    read.max_failures = take_amount(in, "max_failures");
    read.retries = static_cast<std::uint32_t>(take_within(in, "retries", 0, most));
    read.retry_wait = take_span(in, "retry_wait_ms");
    read.on_return = in.boolean("on_return");
    read.priority = static_cast<std::int32_t>(take_within(in, "priority", -1000, 1000));
    read.weight = static_cast<std::uint32_t>(take_within(in, "weight", 1, most));
    return read;
}

void put_rollout(json::object& to, const rollout_options& options) {
    to["batch"] = stored_amount(options.batch);
    to["batch_wait_ms"] = stored_span(options.batch_wait);
    to["rate_milli"] = static_cast<std::int64_t>(options.rate.value_or(0) * 1000);
    to["canary"] = stored_amount(options.canary);
    to["canary_wait_ms"] = stored_span(options.canary_wait);
    to["max_failures"] = stored_amount(options.max_failures);
    to["retries"] = options.retries;
    to["retry_wait_ms"] = stored_span(options.retry_wait);
    to["on_return"] = options.on_return;
    to["priority"] = options.priority;
    to["weight"] = options.weight;
}

}  // namespace muster::jobs
