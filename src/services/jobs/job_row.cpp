#include "services/jobs/job_row.h"

#include "core/table/row_reader.h"
#include "runtime/json/record_reader.h"
#include "services/jobs/job_tables.h"
#include "services/jobs/rollout_record.h"
#include "services/jobs/task_counts_json.h"

#include <boost/json.hpp>

#include <limits>
#include <utility>

namespace muster::jobs {
namespace {

namespace json = boost::json;
using jobs::read_duration;
using jobs::to_milliseconds;
using runtime::json_record_reader;
using runtime::stored_time;

json::string_view to_json(std::string_view text) {
    return {text.data(), text.size()};
}

std::vector<job_id> read_job_ids(json_record_reader& reader, std::string_view name) {
    std::vector<job_id> job_ids;
    for (const auto& text : reader.list(name)) {
        const auto job = parse_job_id(text);
        if (!job) reader.mark_wrong(name);
        if (job) job_ids.push_back(*job);
    }
    return job_ids;
}

json::array to_json(const std::vector<job_id>& jobs) {
    json::array array;
    for (const auto job : jobs) array.emplace_back(to_string(job));
    return array;
}

// Most jobs have none of these members.
void write_replacement(json::object& object, const job_spec& spec) {
    if (!spec.replaced_by.empty()) object["replaced_by"] = to_json(spec.replaced_by);
    if (spec.replaces) object["replaces"] = to_json({*spec.replaces});
    if (!spec.siblings.empty()) object["siblings"] = to_json(spec.siblings);
}

void read_replacement(json_record_reader& reader, job_spec& spec) {
    if (reader.has("replaced_by")) spec.replaced_by = read_job_ids(reader, "replaced_by");
    if (reader.has("siblings")) spec.siblings = read_job_ids(reader, "siblings");
    if (!reader.has("replaces")) return;
    const auto replaced = read_job_ids(reader, "replaces");
    if (replaced.size() != 1) reader.mark_wrong("replaces");
    if (replaced.size() == 1) spec.replaces = replaced.front();
}

// Older servers do not know the rule `start`. They read the stricter rule `respect` and ignore the
// flag.
void write_start_only(json::object& object, const job_spec& spec) {
    if (spec.windows != job_spec::window_rule::start) return;
    object["windows"] = to_json(to_string(job_spec::window_rule::respect));
    object["start_only"] = true;
}
void read_start_only(json_record_reader& reader, job_spec& spec) {
    if (spec.windows != job_spec::window_rule::respect || !reader.has("start_only")) return;
    if (reader.boolean("start_only")) spec.windows = job_spec::window_rule::start;
}

}  // namespace

std::string encode_spec(const job_spec& spec) {
    json::object object{
        {"function", spec.function},
        {"arguments", spec.arguments},
        {"query", spec.query},
        {"by", spec.actor},
        {"note", spec.note},
        {"not_before", spec.not_before ? stored_time(*spec.not_before) : 0},
        {"expires_after_ms", to_milliseconds(spec.expires_after)},
        {"timeout_ms", to_milliseconds(spec.timeout)},
        {"may_run_again", spec.may_run_again},
        {"windows", to_json(to_string(spec.windows))},
        {"parents", to_json(spec.parents)}};
    write_start_only(object, spec);
    jobs::write_rollout(object, spec.rollout);
    write_replacement(object, spec);
    return json::serialize(object);
}

result<job_spec> decode_spec(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("job", text));
    job_spec spec;
    spec.function = reader.text("function");
    spec.arguments = reader.text("arguments");
    spec.query = reader.text("query");
    spec.actor = reader.text("by");
    spec.note = reader.text("note");
    const auto not_before = reader.time("not_before");
    if (not_before != wall_time()) spec.not_before = not_before;
    spec.expires_after = read_duration(reader, "expires_after_ms");
    spec.timeout = read_duration(reader, "timeout_ms");
    spec.may_run_again = reader.boolean("may_run_again");
    const auto windows = parse_window_rule(reader.text("windows"));
    if (!windows) reader.mark_wrong("windows");
    spec.windows = windows.value_or(job_spec::window_rule::respect);
    read_start_only(reader, spec);
    spec.parents = read_job_ids(reader, "parents");
    spec.rollout = jobs::read_rollout(reader);
    read_replacement(reader, spec);
    return reader.finish(std::move(spec));
}

table::row encode_job(const job_record& record, const std::optional<task_counts>& counts) {
    return {
        created_at(record.job),
        encode_spec(record.spec),
        std::string(to_string(record.stage)),
        std::string(to_string(record.phase)),
        record.kill_running,
        record.reason,
        static_cast<std::int64_t>(record.targets),
        counts ? table::value(json::serialize(to_json(*counts))) : table::value(table::null()),
        record.version,
        record.changed};
}

result<stored_job> decode_job(const table::row& row) {
    table::row_reader reader(jobs_table, row);
    job_record record;
    record.job = job_id_at(reader.take<wall_time>("job"));
    TRY(record.spec, decode_spec(reader.take<std::string>("spec")));
    const auto stage = parse_job_stage(reader.take<std::string>("stage"));
    if (!stage) reader.mark_faulty("stage");
    record.stage = stage.value_or(job_stage::paused);
    const auto phase = parse_job_phase(reader.take<std::string>("phase"));
    if (!phase) reader.mark_faulty("phase");
    record.phase = phase.value_or(job_phase::none);
    record.kill_running = reader.take<bool>("kill_running");
    record.reason = reader.take<std::string>("reason");
    record.targets = static_cast<std::uint64_t>(
        reader.take_from("targets", 0, std::numeric_limits<std::uint32_t>::max()));
    const auto counts = reader.take_optional<std::string>("counts");
    record.version = reader.take_from("version", 1, std::numeric_limits<std::int64_t>::max());
    record.changed = reader.take<wall_time>("changed");
    const auto sequence = reader.take_sequence();
    CHECK_OK(reader.finish());
    return stored_job{
        .record = std::move(record),
        .counts = counts ? parse_counts(*counts) : std::nullopt,
        .sequence = sequence};
}

table::row encode_targets(job_id job, const job_targets& targets) {
    return {
        created_at(job),
        table::blob{targets.systems.serialise()},
        table::blob{targets.canaries.serialise()}};
}

result<job_targets> decode_targets(const table::row& row) {
    table::row_reader reader(job_targets_table, row);
    static_cast<void>(reader.take<wall_time>("job"));
    const auto targets = reader.take<table::blob>("targets");
    const auto canaries = reader.take<table::blob>("canaries");
    CHECK_OK(reader.finish());
    job_targets decoded;
    TRY(decoded.systems, fleet::system_set::parse(targets.content));
    TRY(decoded.canaries, fleet::system_set::parse(canaries.content));
    return decoded;
}

}  // namespace muster::jobs
