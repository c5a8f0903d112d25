#include "api/rest/job_json.h"

#include "api/rest/rollout_json.h"
#include "base/hex.h"
#include "base/iso_time.h"
#include "runtime/settings/units.h"

#include <boost/json.hpp>

#include <chrono>
#include <cmath>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;

constexpr std::int64_t query_bytes_max = std::int64_t{2} * 1024 * 1024;

json::string_view view(std::string_view text) {
    return {text.data(), text.size()};
}

json::value time_of(const std::optional<wall_time>& when) {
    json::value response;
    if (when) response = iso_time(*when);
    return response;
}

json::array names_of(const std::vector<job_id>& jobs) {
    json::array names;
    for (const auto item : jobs) names.emplace_back(to_string(item));
    return names;
}

json::object options_json(const job_spec& spec) {
    json::object output{
        {"at", time_of(spec.not_before)},
        {"expires_after", runtime::format_duration(spec.expires_after)},
        {"timeout", runtime::format_duration(spec.timeout)},
        {"may_run_again", spec.may_run_again},
        {"windows", view(to_string(spec.windows))},
        {"parents", names_of(spec.parents)}};
    show_rollout(output, spec.rollout);
    return output;
}

json::object counts_json(const jobs::task_counts& counts) {
    json::object response;
    for (const auto all_task_state : jobs::all_task_states)
        response.emplace(view(to_string(all_task_state)), counts[all_task_state]);
    return response;
}

void put_progress(json::object& into, const job_progress& progress) {
    into["counts"] = counts_json(progress.counts);
    into["ended"] = progress.counts.ended();
    into["failed"] = progress.counts[task_state::failed];
    into["rate"] = nullptr;
    into["eta_seconds"] = nullptr;
    if (progress.rate) into["rate"] = std::round(*progress.rate * 10) / 10;
    if (progress.time_left)
        into["eta_seconds"] = std::chrono::ceil<std::chrono::seconds>(*progress.time_left).count();
    json::array waiting;
    for (const auto& wait : progress.waiting) waiting.push_back(wait_json(wait));
    into["waiting"] = std::move(waiting);
}

api::shape waiting_shape() {
    using namespace api;
    return list_of(record_of(
                       {required("schedule", name()),
                        required("systems", integer(0)),
                        required("opens", api::time().or_nothing())}))
        .with_about("systems that wait for a maintenance window, by schedule");
}

}  // namespace

api::shape job_shape() {
    using namespace api;
    return record_of(
        {required("id", name()),
         required("href", text()),
         required("function", name()),
         required("arguments", anything()),
         required("query", text(query_bytes_max).with_about("query that selects the systems")),
         required("by", text()),
         required("note", text()),
         required("made", api::time()),
         required(
             "stage",
             name().with_about("open, paused, cancelling, cancelled, halted, expired or done")),
         required(
             "phase", name().with_about("tasks that may start: nobody, canaries or everybody")),
         required("reason", text()),
         required("kill_running", flag()),
         required("targets", integer(0)),
         required("counts", map_of(integer(0)).or_nothing().with_about("number of tasks by state")),
         required("changed", api::time()),
         required("version", integer(0)),
         required("replaces", name().or_nothing().with_about("job that this job continues")),
         required("replaced_by", list_of(name())),
         required("options", map_of(anything())),
         optional("ended", integer(0)),
         optional("failed", integer(0)),
         optional("rate", api::number().or_nothing().with_about("tasks ended per second")),
         optional("eta_seconds", integer(0).or_nothing()),
         optional("waiting", waiting_shape())});
}

std::string address_of(job_id job) {
    return "/api/v1/jobs/" + to_string(job);
}

json::object job_json(const job_record& job, const std::optional<job_progress>& progress) {
    json::object response{
        {"id", to_string(job.job)},
        {"href", address_of(job.job)},
        {"function", job.spec.function},
        {"arguments", output_json(job.spec.arguments)},
        {"query", job.spec.query},
        {"by", job.spec.actor},
        {"note", job.spec.note},
        {"made", iso_time(created_at(job.job))},
        {"stage", view(to_string(job.stage))},
        {"phase", view(to_string(job.phase))},
        {"reason", job.reason},
        {"kill_running", job.kill_running},
        {"targets", job.targets},
        {"counts", nullptr},
        {"changed", iso_time(job.changed)},
        {"version", job.version},
        {"replaces", nullptr},
        {"replaced_by", names_of(job.spec.replaced_by)},
        {"options", options_json(job.spec)}};
    if (job.spec.replaces) response["replaces"] = to_string(*job.spec.replaces);
    if (progress) put_progress(response, *progress);
    return response;
}

json::object progress_json(const job_record& job, const job_progress& progress) {
    json::object response{
        {"id", to_string(job.job)},
        {"stage", view(to_string(job.stage))},
        {"phase", view(to_string(job.phase))},
        {"reason", job.reason},
        {"targets", job.targets}};
    put_progress(response, progress);
    return response;
}

json::value output_json(std::string_view payload) {
    json::error_code failure;
    auto parsed = json::parse(view(payload), failure);
    if (failure) parsed = view(payload);
    return parsed;
}

json::object wait_json(const windows::window_wait& wait) {
    return {{"schedule", wait.schedule}, {"systems", wait.systems}, {"opens", time_of(wait.opens)}};
}

json::object task_json(task_state state, const task_record* row) {
    json::object response{{"state", view(to_string(state))}, {"attempt", nullptr}};
    if (row == nullptr) return response;
    response["attempt"] = row->attempt;
    response["picked_up"] = time_of(row->picked_up);
    response["ended"] = time_of(row->ended);
    response["exit_code"] = nullptr;
    if (row->state == task_state::completed || row->state == task_state::failed)
        response["exit_code"] = row->exit_code;
    response["reason"] = row->reason;
    response["node"] = row->node;
    response["digest"] = nullptr;
    if (!row->digest.empty()) response["digest"] = to_hex(row->digest);
    response["payload_size"] = row->payload_size;
    response["truncated"] = row->truncated;
    if (!row->inline_payload.empty()) response["output"] = output_json(row->inline_payload);
    return response;
}

json::object group_json(const jobs::outcome_group& group) {
    json::object response{
        {"state", view(to_string(group.state))},
        {"exit_code", group.exit_code},
        {"reason", group.reason},
        {"count", group.count},
        {"digest", nullptr},
        {"payload_size", group.payload_size}};
    if (!group.digest.empty()) response["digest"] = to_hex(group.digest);
    if (!group.inline_payload.empty()) response["output"] = output_json(group.inline_payload);
    return response;
}

}  // namespace muster::api
