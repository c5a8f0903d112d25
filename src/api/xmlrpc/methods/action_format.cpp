#include "api/xmlrpc/methods/action_format.h"

#include "core/model/chain.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

struct spoken_function {
    std::string_view function;
    std::string_view type;
};

constexpr std::array spoken{
    spoken_function{"cmd.run", "Run an arbitrary script"},
    spoken_function{"script.run", "Run an arbitrary script"},
    spoken_function{"system.reboot", "System reboot"},
    spoken_function{"facts.get", "Hardware List Refresh"},
    spoken_function{"packages.change", "Package Change"},
    spoken_function{"packages.refresh", "Package List Refresh"},
    spoken_function{"files.deploy", "Deploy config files to system"}};

}  // namespace

std::string action_type(std::string_view function) {
    for (const auto& each : spoken)
        if (each.function == function) return std::string(each.type);
    if (function == chain_function) return "Action Chain";
    return std::string(function);
}

std::string action_name(const job_record& job) {
    return job.spec.note.empty() ? action_type(job.spec.function) : job.spec.note;
}

wall_time earliest_start(const job_record& job) {
    return job.spec.not_before.value_or(made_at(job.job));
}

std::string_view status_word(task_state state) {
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

std::string outcome_of(task_state state, const task_record* row) {
    if (row != nullptr && !row->reason.empty()) return row->reason;
    switch (state) {
        case task_state::queued:
            return "waits for its turn";
        case task_state::picked_up:
            return "the system has it";
        case task_state::completed:
        case task_state::failed:
            return fmt::format("exit code {}", row == nullptr ? 0 : row->exit_code);
        case task_state::cancelled:
            return "cancelled before its turn";
        case task_state::expired:
            return "its time was over before its turn";
    }
    return "";
}

async<action_counts> counts_of(const api::job_detail_reader& reader, jobs::stored_job job) {
    CO_TRY(auto progress, co_await reader.cheap_progress(job));
    if (!progress) {
        CO_TRY(const auto whole, co_await reader.read(job.record.job));
        progress = reader.progress(whole);
    }
    const auto& counts = progress->counts;
    co_return action_counts{
        .completed = counts[task_state::completed],
        .failed = counts[task_state::failed] + counts[task_state::expired],
        .in_progress = counts[task_state::queued] + counts[task_state::picked_up]};
}

}  // namespace muster::xmlrpc_api
