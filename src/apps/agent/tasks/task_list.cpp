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
    std::ranges::sort(tasks, {}, [](const auto& task) { return task.task->since; });
    boost::json::array list;
    for (const auto& task : tasks) {
        const auto& order = task.task->request;
        list.push_back(boost::json::object{
            {"job", to_string(job_id(order.name.job))},
            {"attempt", order.name.attempt},
            {"function", order.function},
            {"state", task.running ? "running" : "waiting"},
            {"since_us", task.task->since.time_since_epoch().count()}});
    }
    auto temporary = file;
    temporary += ".new";
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream << boost::json::serialize(list) << '\n';
    stream.close();
    std::error_code failure;
    if (stream) std::filesystem::rename(temporary, file, failure);
    if (!stream || failure)
        return fail(errc::unavailable, fmt::format("cannot write {}", file.string()));
    return {};
}

}  // namespace muster::agent
