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
using jobs::stored_span;
using jobs::take_span;
using runtime::json_record_reader;
using runtime::stored_time;

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

std::vector<job_id> take_jobs(json_record_reader& in, std::string_view name) {
    std::vector<job_id> read;
    for (const auto& each : in.list(name)) {
        const auto job = parse_job_id(each);
        if (!job) in.mark_wrong(name);
        if (job) read.push_back(*job);
    }
    return read;
}

json::array stored_jobs(const std::vector<job_id>& jobs) {
    json::array stored;
    for (const auto each : jobs) stored.emplace_back(to_string(each));
    return stored;
}

// Few jobs have any of it, and records from before it was there have none.
void put_replacement(json::object& to, const job_spec& spec) {
    if (!spec.replaced_by.empty()) to["replaced_by"] = stored_jobs(spec.replaced_by);
    if (spec.replaces) to["replaces"] = stored_jobs({*spec.replaces});
    if (!spec.siblings.empty()) to["siblings"] = stored_jobs(spec.siblings);
}

void take_replacement(json_record_reader& in, job_spec& into) {
    if (in.has("replaced_by")) into.replaced_by = take_jobs(in, "replaced_by");
    if (in.has("siblings")) into.siblings = take_jobs(in, "siblings");
    if (!in.has("replaces")) return;
    const auto one = take_jobs(in, "replaces");
    if (one.size() != 1) in.mark_wrong("replaces");
    if (one.size() == 1) into.replaces = one.front();
}

// Beside a rule that is stricter, so that servers which know no other keep to that one.
void put_start_only(json::object& all, const job_spec& spec) {
    if (spec.windows != job_spec::window_rule::start) return;
    all["windows"] = view(to_string(job_spec::window_rule::respect));
    all["start_only"] = true;
}
void take_start_only(json_record_reader& in, job_spec& into) {
    if (into.windows != job_spec::window_rule::respect || !in.has("start_only")) return;
    if (in.boolean("start_only")) into.windows = job_spec::window_rule::start;
}

}  // namespace

std::string encode_spec(const job_spec& spec) {
    json::object all{
        {"function", spec.function},
        {"arguments", spec.arguments},
        {"query", spec.query},
        {"by", spec.by},
        {"note", spec.note},
        {"not_before", spec.not_before ? stored_time(*spec.not_before) : 0},
        {"expires_after_ms", stored_span(spec.expires_after)},
        {"timeout_ms", stored_span(spec.timeout)},
        {"may_run_again", spec.may_run_again},
        {"windows", view(to_string(spec.windows))},
        {"parents", stored_jobs(spec.parents)}};
    put_start_only(all, spec);
    jobs::put_rollout(all, spec.rollout);
    put_replacement(all, spec);
    return json::serialize(all);
}

result<job_spec> decode_spec(std::string_view text) {
    TRY(auto in, json_record_reader::of("job", text));
    job_spec read;
    read.function = in.text("function");
    read.arguments = in.text("arguments");
    read.query = in.text("query");
    read.by = in.text("by");
    read.note = in.text("note");
    const auto not_before = in.time("not_before");
    if (not_before != wall_time()) read.not_before = not_before;
    read.expires_after = take_span(in, "expires_after_ms");
    read.timeout = take_span(in, "timeout_ms");
    read.may_run_again = in.boolean("may_run_again");
    const auto windows = parse_window_rule(in.text("windows"));
    if (!windows) in.mark_wrong("windows");
    read.windows = windows.value_or(job_spec::window_rule::respect);
    take_start_only(in, read);
    read.parents = take_jobs(in, "parents");
    read.rollout = jobs::take_rollout(in);
    take_replacement(in, read);
    return in.finish(std::move(read));
}

table::row encode_job(const job_record& record, const std::optional<task_counts>& counts) {
    return {
        made_at(record.job),
        encode_spec(record.spec),
        std::string(to_string(record.stage)),
        std::string(to_string(record.phase)),
        record.kill_running,
        record.reason,
        static_cast<std::int64_t>(record.targets),
        counts ? table::value(json::serialize(stored_counts(*counts)))
               : table::value(table::null()),
        record.version,
        record.changed};
}

result<stored_job> decode_job(const table::row& cells) {
    table::row_reader in(jobs_table, cells);
    job_record record;
    record.job = job_made_at(in.take<wall_time>("job"));
    TRY(record.spec, decode_spec(in.take<std::string>("spec")));
    const auto stage = parse_job_stage(in.take<std::string>("stage"));
    if (!stage) in.mark_wrong("stage");
    record.stage = stage.value_or(job_stage::paused);
    const auto phase = parse_job_phase(in.take<std::string>("phase"));
    if (!phase) in.mark_wrong("phase");
    record.phase = phase.value_or(job_phase::nobody);
    record.kill_running = in.take<bool>("kill_running");
    record.reason = in.take<std::string>("reason");
    record.targets = static_cast<std::uint64_t>(
        in.take_from("targets", 0, std::numeric_limits<std::uint32_t>::max()));
    const auto counts = in.take_optional<std::string>("counts");
    record.version = in.take_from("version", 1, std::numeric_limits<std::int64_t>::max());
    record.changed = in.take<wall_time>("changed");
    const auto sequence = in.take_sequence();
    CHECK_OK(in.finish());
    return stored_job{
        .record = std::move(record),
        .counts = counts ? parse_counts(*counts) : std::nullopt,
        .sequence = sequence};
}

table::row encode_audience(job_id job, const job_targets& job_targets) {
    return {
        made_at(job),
        table::blob{job_targets.targets.serialise()},
        table::blob{job_targets.canaries.serialise()}};
}

result<job_targets> decode_audience(const table::row& cells) {
    table::row_reader in(job_targets_table, cells);
    static_cast<void>(in.take<wall_time>("job"));
    const auto targets = in.take<table::blob>("targets");
    const auto canaries = in.take<table::blob>("canaries");
    CHECK_OK(in.finish());
    job_targets who;
    TRY(who.targets, fleet::system_set::parse(targets.content));
    TRY(who.canaries, fleet::system_set::parse(canaries.content));
    return who;
}

}  // namespace muster::jobs
