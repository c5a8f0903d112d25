#include "api/xmlrpc/methods/action_format.h"

#include "core/model/chain.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

struct function_type {
    std::string_view function;
    std::string_view type;
};

constexpr std::array function_types{
    function_type{"cmd.run", "Run an arbitrary script"},
    function_type{"script.run", "Run an arbitrary script"},
    function_type{"system.reboot", "System reboot"},
    function_type{"facts.get", "Hardware List Refresh"},
    function_type{"packages.change", "Package Change"},
    function_type{"packages.refresh", "Package List Refresh"},
    function_type{"files.deploy", "Deploy config files to system"}};

}  // namespace

std::string action_type(std::string_view function) {
    for (const auto& entry : function_types)
        if (entry.function == function) return std::string(entry.type);
    if (function == chain_function) return "Action Chain";
    return std::string(function);
}

std::string action_name(const job_record& job) {
    return job.spec.note.empty() ? action_type(job.spec.function) : job.spec.note;
}

wall_time earliest_start(const job_record& job) {
    return job.spec.not_before.value_or(created_at(job.job));
}

std::string_view status_text(task_state state) {
    switch (state) {
        case task_state::queued:
            return "Queued";
        case task_state::picked_up:
            return "Picked Up";
        case task_state::completed:
            return "Completed";
        case task_state::failed:
        case task_state::expired:
            return "Failed";
        case task_state::cancelled:
            return "Cancelled";
    }
    return "";
}

std::string outcome_text(task_state state, const task_record* row) {
    if (row != nullptr && !row->reason.empty()) return row->reason;
    switch (state) {
        case task_state::queued:
            return "waiting to start";
        case task_state::picked_up:
            return "picked up by the system";
        case task_state::completed:
        case task_state::failed:
            return fmt::format("exit code {}", row == nullptr ? 0 : row->exit_code);
        case task_state::cancelled:
            return "cancelled before start";
        case task_state::expired:
            return "expired before start";
    }
    return "";
}

async<action_counts> read_counts(const api::job_detail_reader& reader, jobs::stored_job job) {
    CO_TRY(auto progress, co_await reader.cheap_progress(job));
    if (!progress) {
        CO_TRY(const auto details, co_await reader.read(job.record.job));
        CO_TRY(progress, co_await reader.progress(details));
    }
    const auto& counts = progress->counts;
    co_return action_counts{
        .completed = counts[task_state::completed],
        .failed = counts[task_state::failed] + counts[task_state::expired],
        .in_progress = counts[task_state::queued] + counts[task_state::picked_up]};
}

}  // namespace muster::xmlrpc_api
