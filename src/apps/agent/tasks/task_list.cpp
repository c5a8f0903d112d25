#include "apps/agent/tasks/task_list.h"

#include "core/model/job.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace muster::agent {

result<void> write_task_list(
    const std::filesystem::path& file, std::vector<session::agent_tasks::view> tasks) {
    std::ranges::sort(tasks, {}, [](const auto& each) { return each.task->since; });
    boost::json::array list;
    for (const auto& task : tasks) {
        const auto& order = task.task->order;
        list.push_back(boost::json::object{
            {"job", to_string(job_id(order.name.job))},
            {"attempt", order.name.attempt},
            {"function", order.function},
            {"state", task.running ? "running" : "waiting"},
            {"since_us", task.task->since.time_since_epoch().count()}});
    }
    auto beside = file;
    beside += ".new";
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out << boost::json::serialize(list) << '\n';
    out.close();
    std::error_code failure;
    if (out) std::filesystem::rename(beside, file, failure);
    if (!out || failure)
        return fail(errc::unavailable, fmt::format("cannot write {}", file.string()));
    return {};
}

}  // namespace muster::agent
