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

// An empty text means that no amount is set.
std::string to_text(const std::optional<amount>& amount) {
    return amount ? to_string(*amount) : std::string();
}

std::optional<amount> read_amount(runtime::json_record_reader& reader, std::string_view name) {
    const auto text = reader.text(name);
    if (text.empty()) return std::nullopt;
    const auto value = parse_amount(text);
    if (!value) {
        reader.mark_wrong(name);
        return std::nullopt;
    }
    return *value;
}

std::int64_t read_in_range(
    runtime::json_record_reader& reader,
    std::string_view name,
    std::int64_t least,
    std::int64_t most) {
    const auto value = reader.integer(name);
    if (value < least || value > most) reader.mark_wrong(name);
    return value;
}

}  // namespace

std::int64_t to_milliseconds(monotonic::duration duration) {
    return duration_cast<milliseconds>(duration).count();
}

monotonic::duration read_duration(runtime::json_record_reader& reader, std::string_view name) {
    constexpr std::int64_t most = duration_cast<milliseconds>(std::chrono::hours(24 * 366)).count();
    const auto value = reader.integer(name);
    if (value < 0 || value > most) reader.mark_wrong(name);
    return milliseconds(value);
}

rollout_options read_rollout(runtime::json_record_reader& reader) {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    rollout_options options;
    options.batch = read_amount(reader, "batch");
    options.batch_wait = read_duration(reader, "batch_wait_ms");
    const auto milli = read_in_range(reader, "rate_milli", 0, most);
    if (milli > 0) options.rate = static_cast<double>(milli) / 1000;
    options.canary = read_amount(reader, "canary");
    if (reader.has("canary_wait_ms")) options.canary_wait = read_duration(reader, "canary_wait_ms");
    options.max_failures = read_amount(reader, "max_failures");
    options.retries = static_cast<std::uint32_t>(read_in_range(reader, "retries", 0, most));
    options.retry_wait = read_duration(reader, "retry_wait_ms");
    options.on_return = reader.boolean("on_return");
    options.priority = static_cast<std::int32_t>(read_in_range(reader, "priority", -1000, 1000));
    options.weight = static_cast<std::uint32_t>(read_in_range(reader, "weight", 1, most));
    return options;
}

void write_rollout(json::object& record, const rollout_options& options) {
    record["batch"] = to_text(options.batch);
    record["batch_wait_ms"] = to_milliseconds(options.batch_wait);
    record["rate_milli"] = static_cast<std::int64_t>(options.rate.value_or(0) * 1000);
    record["canary"] = to_text(options.canary);
    record["canary_wait_ms"] = to_milliseconds(options.canary_wait);
    record["max_failures"] = to_text(options.max_failures);
    record["retries"] = options.retries;
    record["retry_wait_ms"] = to_milliseconds(options.retry_wait);
    record["on_return"] = options.on_return;
    record["priority"] = options.priority;
    record["weight"] = options.weight;
}

}  // namespace muster::jobs
